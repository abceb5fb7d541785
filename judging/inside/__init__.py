"""What runs inside the sandbox: standard library only, holds no secret, knows no expected output."""
