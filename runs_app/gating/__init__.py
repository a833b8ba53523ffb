"""Gate rules: reading them, saying them, deciding them. Nothing here touches the database."""
