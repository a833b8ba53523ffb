from django.db import migrations

from core_app.guards import GUARDS
from core_app.triggers import InstallGuards


class Migration(migrations.Migration):
    dependencies = [("core_app", "0001_initial")]

    operations = [InstallGuards(GUARDS)]
