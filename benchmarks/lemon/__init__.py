"""LEMON: lecture videos, six tasks from perception over reasoning to generation."""
