"""Figures as ratios inside one run; machines are noisy, so nothing here is a test."""
