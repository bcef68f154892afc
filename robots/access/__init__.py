"""Who a caller is: keys, acting for members, delegations, audiences of a robot."""
