"""What both pipeline components share."""
