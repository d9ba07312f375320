"""What scores do not show at first sight: the analyses behind verbs."""
