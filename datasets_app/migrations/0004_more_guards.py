from django.db import migrations

from core_app.triggers import InstallGuards
from datasets_app.guards import FIRST_GUARDS


class Migration(migrations.Migration):
    dependencies = [("datasets_app", "0003_guards")]

    operations = [InstallGuards(FIRST_GUARDS)]
