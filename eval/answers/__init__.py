"""What an answer says: its program, or the option it chooses."""
