"""A thousand ANYmals standing for one second, each with a heading of its own."""
import myriapod

with myriapod.Batch("anymal", 1024) as batch:
    batch.step(1000)
    print(f"robot 0 stands {batch.q[0, 2]:.3f} m high")
    stats = batch.stats()
    print(f"{stats.contacts_mean:.1f} contacts per robot, worst residual {stats.residual_max:.1e}")
    print(f"{stats.robot_steps / stats.wall_s:.2e} robot-steps/s on {stats.threads} threads")
