"""What in a text would steer the model that reads it. Pure; what happens then says the gate."""
