from django.db import migrations

from core_app.triggers import InstallGuards
from runs_app.guards import FIRST_GUARDS


class Migration(migrations.Migration):
    dependencies = [("runs_app", "0002_references")]

    operations = [InstallGuards(FIRST_GUARDS)]
