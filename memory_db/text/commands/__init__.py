"""What people and agents type into a shell, and what a question asks how to do: commands by their parts and purpose."""
