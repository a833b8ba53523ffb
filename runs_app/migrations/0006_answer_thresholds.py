import django.db.models.deletion
from django.db import migrations, models

import runs_app.models.thresholds
from core_app.triggers import InstallGuards
from runs_app.guards import THRESHOLD_GUARDS


class Migration(migrations.Migration):
    dependencies = [
        ("runs_app", "0005_output_judgements"),
    ]

    operations = [
        migrations.CreateModel(
            name="AnswerThreshold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "public_id",
                    models.CharField(
                        default=runs_app.models.thresholds.new_threshold_id,
                        max_length=40,
                        unique=True,
                        verbose_name="id",
                    ),
                ),
                ("max_risk", models.FloatField(verbose_name="highest risk allowed")),
                (
                    "bound",
                    models.CharField(
                        choices=[("point", "the risk itself"), ("upper", "the upper end of its interval")],
                        max_length=8,
                        verbose_name="what had to stay within it",
                    ),
                ),
                ("threshold", models.FloatField(verbose_name="confidence threshold")),
                ("coverage", models.FloatField(verbose_name="coverage")),
                ("risk", models.FloatField(verbose_name="risk")),
                ("answered", models.PositiveIntegerField(verbose_name="answered")),
                ("wrong", models.PositiveIntegerField(verbose_name="wrong")),
                ("n_total", models.PositiveIntegerField(verbose_name="n")),
                ("note", models.CharField(blank=True, max_length=500, verbose_name="note")),
                ("created_by_key", models.CharField(max_length=80, verbose_name="chosen by (key)")),
                ("created_by_label", models.CharField(max_length=200, verbose_name="chosen by")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="chosen")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="thresholds",
                        to="runs_app.run",
                        verbose_name="dev run",
                    ),
                ),
                (
                    "system",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="thresholds",
                        to="runs_app.system",
                        verbose_name="system",
                    ),
                ),
            ],
            options={
                "verbose_name": "answer threshold",
                "verbose_name_plural": "answer thresholds",
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("bound__in", ["point", "upper"])), name="runs_threshold_bound"
                    )
                ],
            },
        ),
        InstallGuards(THRESHOLD_GUARDS),
    ]
