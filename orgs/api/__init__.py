"""What every endpoint shares: problems, cursors, strict serializers, the description."""
