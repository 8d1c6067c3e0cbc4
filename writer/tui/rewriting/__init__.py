"""Rewriting on the screen: the menu, the card with the difference, and what is known of each answer."""
