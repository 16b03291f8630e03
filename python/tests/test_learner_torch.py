"""The learner in lanes beside torch in double precision and beside rsl_rl: gradients, and ten iterations on the same data."""
import numpy as np
import pytest

NO_TORCH = "may skip: not every index has a torch for processors alone, and the others bring gigabytes of CUDA"
torch = pytest.importorskip("torch", reason=NO_TORCH)
pytest.importorskip("rsl_rl", reason=NO_TORCH)
from myriapod.learn.ppo import Learner  # noqa: E402
from rsl_rl.algorithms import PPO  # noqa: E402
from rsl_rl.models import MLPModel  # noqa: E402
from rsl_rl.storage import RolloutStorage  # noqa: E402
from tensordict import TensorDict  # noqa: E402

ACTIVATIONS = {"elu": torch.nn.ELU, "relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


def mlp(widths, activation, numbers, dtype):
    """A torch MLP with the numbers of a Learner, and how many it took."""
    layers, at = [], 0
    for n_in, n_out in zip(widths, widths[1:]):
        layer = torch.nn.Linear(n_in, n_out, dtype=dtype)
        with torch.no_grad():
            layer.weight.copy_(torch.from_numpy(numbers[at : at + n_in * n_out].reshape(n_out, n_in)))
            layer.bias.copy_(torch.from_numpy(numbers[at + n_in * n_out : at + (n_in + 1) * n_out]))
        layers += [layer, ACTIVATIONS[activation]()]
        at += (n_in + 1) * n_out
    return torch.nn.Sequential(*layers[:-1]), at


def density(action, mean, deviation):
    return (-0.5 * ((action - mean) / deviation) ** 2 - deviation.log() - 0.5 * np.log(2 * np.pi)).sum(-1)


def advantages(reward, value, done, timeout, discount=0.99, fade=0.95):
    """(steps, envs) advantages, normalized, and returns, in double: rsl_rl's words in NumPy."""
    reward = reward + discount * value[:-1] * timeout
    returns, ahead = np.zeros_like(reward), np.zeros(reward.shape[1])
    for t in reversed(range(len(reward))):
        goes_on = 1.0 - done[t]
        ahead = reward[t] + goes_on * discount * value[t + 1] - value[t] + goes_on * discount * fade * ahead
        returns[t] = ahead + value[t]
    a = returns - value[:-1]
    return (a - a.mean()) / (a.std(ddof=1) + 1e-8), returns


class Story:
    """Made-up observations, rewards and ends of so many control steps."""

    def __init__(self, rng, steps, envs, observations):
        self.seen = rng.normal(size=(steps + 1, envs, observations)).astype(np.float32)
        self.reward = (1 + rng.normal(size=(steps, envs))).astype(np.float32)  # of mean 0 the value's gradients were sums that cancel
        ends = rng.random((steps, envs))
        self.terminated, self.truncated = ends < 0.05, ends > 0.95


def live(learner, story):
    """The control steps of a story; actions."""
    actions = []
    for t in range(learner.steps):
        actions.append(learner.act(story.seen[t]))
        learner.reward(story.reward[t], story.terminated[t], story.truncated[t])
    return np.stack(actions)


LARGEST = 2e-6  # of a tensor's largest entry


@pytest.mark.parametrize("case", [
    # envs, steps, observations, actions, hidden, activation
    (1, 2, 1, 1, (), "elu"), (1, 3, 5, 2, (7,), "tanh"), (33, 3, 17, 3, (31, 5), "relu"), (97, 2, 48, 12, (128, 64, 32), "elu"),
    (200, 4, 48, 12, (128, 64, 32), "elu"), (64, 2, 70, 20, (512, 130), "tanh"), (50, 2, 9, 33, (16, 16, 16, 16), "elu"),
])
def test_gradients(case):
    """Where no sample is so near to a kink of the clipped losses that rounding decides on which side it lies."""
    assert any(_compare(case, seed) for seed in range(20))


def _compare(case, seed):
    """False: a sample is near a kink."""
    envs, steps, n, nu, hidden, activation = case
    rng = np.random.default_rng(seed)
    keep = dict(hidden=hidden, activation=activation, steps=steps, minibatches=1, max_grad_norm=1e12, desired_kl=0.0, average=0.0, threads=1)
    with Learner(envs, n, nu, epochs=1, seed=3, **keep) as learner:
        first, story = learner.get(), Story(rng, steps, envs, n)
        actions = live(learner, story)
        # other weights than those that acted: ratios are not one, and some are clipped; Adam's first mean is 0.1 of the gradient
        moved = first + np.float32(0.05) * rng.normal(size=first.size).astype(np.float32) / np.sqrt(max(n, 16))
        old_value = np.stack([learner.value(o) for o in story.seen]).astype(np.float64)
        old_mean = np.stack([learner.mean(o) for o in story.seen[:-1]]).astype(np.float64)
        learner.set("weights", moved)
        old_value[-1] = learner.value(story.seen[-1])  # which is asked for when the update begins
        report = learner.update(story.seen[-1])
        mine = learner.get("mean").astype(np.float64) / 0.1
    data = story, actions, old_value, old_mean
    told, wanted, kink = _torch_gradient(case, moved, data, torch.float64)
    if kink < 1e-5:
        return False
    assert report.surrogate == pytest.approx(told[0], abs=2e-5) and report.value_loss == pytest.approx(told[1], rel=2e-5)
    at = 0
    for exact, single in zip(wanted, _torch_gradient(case, moved, data, torch.float32)[1]):
        largest = np.abs(exact).max()
        off, theirs = (np.abs(x - exact).max() / largest for x in (mine[at : at + exact.size], single))
        assert off <= max(LARGEST, 2 * theirs), f"tensor at {at} of {exact.size}: off by {off:.3g} of its largest, torch in single precision by {theirs:.3g}"
        at += exact.size
    assert at == len(mine)
    return True


def _torch_gradient(case, numbers, data, dtype):
    """Losses, the gradient of each tensor, and how near a sample is to a kink of the losses."""
    _, _, n, nu, hidden, activation = case
    story, actions, old_value, old_mean = data
    reward, ends, timeout = story.reward.astype(np.float64), story.terminated | story.truncated, story.truncated.astype(float)
    advantage, returns = advantages(reward, old_value, ends.astype(float), timeout)
    advantage, returns, old = (torch.from_numpy(x.reshape(-1)).to(dtype) for x in (advantage, returns, old_value[:-1]))
    seen, acted, meant = (torch.from_numpy(x.reshape(-1, w)).to(dtype) for x, w in ((story.seen[:-1], n), (actions, nu), (old_mean, nu)))
    actor, at = mlp((n, *hidden, nu), activation, numbers, dtype)
    deviation = torch.tensor(numbers[at : at + nu], requires_grad=True, dtype=dtype)
    critic, _ = mlp((n, *hidden, 1), activation, numbers[at + nu :], dtype)
    ratio = (density(acted, actor(seen), deviation) - density(acted, meant, torch.full((nu,), 0.5, dtype=dtype))).exp()
    surrogate = torch.max(-advantage * ratio, -advantage * ratio.clamp(0.8, 1.2)).mean()
    value = critic(seen)[:, 0]
    value_loss = torch.max((value - returns) ** 2, (old + (value - old).clamp(-0.2, 0.2) - returns) ** 2).mean()
    (surrogate + value_loss - 0.01 * deviation.log().sum()).backward()
    kinks = torch.cat([(ratio - 0.8).abs(), (ratio - 1.2).abs(), ((value - old).abs() - 0.2).abs()])
    tensors = [*(p.grad for p in actor.parameters()), deviation.grad, *(p.grad for p in critic.parameters())]
    return (surrogate.item(), value_loss.item()), [t.numpy().astype(np.float64).reshape(-1) for t in tensors], float(kinks.min())


@pytest.mark.parametrize("own, normalized, mirror", [(5, 0, 0.0), (0, 1, 0.0), (0, 0, 0.7), (4, 1, 0.7)])
def test_gradients_of_a_critic_s_own_of_what_is_normalized_and_in_a_mirror(own, normalized, mirror):
    assert any(_compare_more(own, normalized, mirror, seed) for seed in range(20))


def _compare_more(own, normalized, mirror, seed):
    """False: a sample is near a kink."""
    envs, steps, n, nu, hidden = 97, 3, 17, 6, (31, 18)
    rng = np.random.default_rng(seed)
    image = np.array([2, 1, -3, 5, 4, -7, -6, *range(8, n + 1)]), np.array([-2, -1, 3, 4, -5, 6])
    keep = dict(hidden=hidden, steps=steps, minibatches=1, epochs=1, max_grad_norm=1e12, desired_kl=0.0, average=0.0, threads=2, seed=3,
                critic_observations=own, obs_normalization=normalized, mirror_loss_coef=mirror)
    with Learner(envs, n, nu, **keep) as learner:
        learner.set_mirror(*image)
        first, story = learner.get(), Story(rng, steps, envs, n)
        story.seen = (story.seen * rng.uniform(0.1, 5, n) + rng.normal(size=n)).astype(np.float32)
        critic = (3 + 2 * rng.normal(size=(steps + 1, envs, own))).astype(np.float32)
        actions = []
        for t in range(steps):
            if own:
                learner.see(critic[t])
            actions.append(learner.act(story.seen[t]))
            learner.reward(story.reward[t], story.terminated[t], story.truncated[t])
        moved = first + np.float32(0.05) * rng.normal(size=first.size).astype(np.float32) / 4
        both = np.concatenate([story.seen, critic], axis=-1)
        old_value = np.stack([learner.value(o) for o in both]).astype(np.float64)
        old_mean = np.stack([learner.mean(o) for o in story.seen[:-1]]).astype(np.float64)
        shift, variance, count = learner.normalization
        assert count == (envs if normalized else 0) and (normalized or (not shift.any() and (variance == 1).all()))
        if normalized:
            assert np.allclose(shift, both[0].mean(0), atol=1e-6) and np.allclose(variance, both[0].var(0), rtol=1e-5)
        scale = 1 / (np.sqrt(variance) + 0.01) if normalized else np.ones(n + own)
        learner.set("weights", moved)
        old_value[-1] = learner.value(both[-1])
        if own:
            learner.see(critic[-1])
        report = learner.update(story.seen[-1])
        mine = learner.get("mean").astype(np.float64) / 0.1
    reward, ends, timeout = story.reward.astype(np.float64), story.terminated | story.truncated, story.truncated.astype(float)
    advantage, returns = (torch.from_numpy(x.reshape(-1)) for x in advantages(reward, old_value, ends.astype(float), timeout))
    of = lambda x: torch.from_numpy(((x.astype(np.float64) - shift[: x.shape[-1]]) * scale[: x.shape[-1]]).reshape(-1, x.shape[-1]))  # noqa: E731
    seen, all_seen, there = of(story.seen[:-1]), of(both[:-1]), of(story.seen[:-1][..., abs(image[0]) - 1] * np.sign(image[0]))
    old, acted, meant = (torch.from_numpy(np.stack(x).reshape(-1, *w).astype(np.float64)) for x, w in ((old_value[:-1], ()), (actions, (nu,)), (old_mean, (nu,))))
    actor, at = mlp((n, *hidden, nu), "elu", moved, torch.float64)
    deviation = torch.tensor(moved[at : at + nu], requires_grad=True, dtype=torch.float64)
    value_net, _ = mlp((n + own, *hidden, 1), "elu", moved[at + nu :], torch.float64)
    mean = actor(seen)
    ratio = (density(acted, mean, deviation) - density(acted, meant, torch.full((nu,), 0.5, dtype=torch.float64))).exp()
    surrogate = torch.max(-advantage * ratio, -advantage * ratio.clamp(0.8, 1.2)).mean()
    value = value_net(all_seen)[:, 0]
    value_loss = torch.max((value - returns) ** 2, (old + (value - old).clamp(-0.2, 0.2) - returns) ** 2).mean()
    wanted = mean.detach()[:, abs(image[1]) - 1] * torch.from_numpy(np.sign(image[1]))
    mirrored = ((actor(there) - wanted) ** 2).mean()
    (surrogate + value_loss - 0.01 * deviation.log().sum() + mirror * mirrored).backward()
    if min(float((ratio - 0.8).abs().min()), float((ratio - 1.2).abs().min()), float(((value - old).abs() - 0.2).abs().min())) < 1e-5:
        return False
    assert report.value_loss == pytest.approx(value_loss.item(), rel=2e-5) and report.surrogate == pytest.approx(surrogate.item(), abs=2e-5)
    assert report.mirror_loss == pytest.approx(mirrored.item() if mirror else 0.0, rel=2e-5)
    at = 0
    for exact in (p.grad.numpy().reshape(-1) for p in (*actor.parameters(), deviation, *value_net.parameters())):
        off = np.abs(mine[at : at + exact.size] - exact).max() / np.abs(exact).max()
        assert off < 2e-5, f"tensor at {at} of {exact.size}: off by {off:.3g} of its largest"
        at += exact.size
    assert at == len(mine)
    return True


class Theirs:
    """rsl_rl's PPO with the first weights of a Learner, in single or double precision. One minibatch, as both draw their own order of samples."""

    def __init__(self, dtype, first, envs, steps, n, nu, hidden):
        self.dtype, self.envs = dtype, envs
        torch.set_default_dtype(dtype)
        example, groups = self.seen(np.zeros((envs, n))), {"actor": ["policy"], "critic": ["policy"]}
        actor = MLPModel(example, groups, "actor", nu, hidden, "elu", distribution_cfg={"class_name": "GaussianDistribution", "init_std": 0.5})
        critic = MLPModel(example, groups, "critic", 1, hidden, "elu")
        self.parameters = [*actor.mlp.parameters(), *(p for name, p in actor.named_parameters() if not name.startswith("mlp")), *critic.mlp.parameters()]
        at = 0
        with torch.no_grad():
            for parameter in self.parameters:
                parameter.copy_(torch.from_numpy(first[at : at + parameter.numel()]).view(parameter.shape))
                at += parameter.numel()
        assert at == first.size
        self.ppo = PPO(actor, critic, RolloutStorage("rl", envs, steps, example, [nu]), num_learning_epochs=4, num_mini_batches=1)

    def of(self, array):
        return torch.from_numpy(array).to(self.dtype)

    def seen(self, array):
        return TensorDict({"policy": self.of(array)}, batch_size=[self.envs])

    def iterate(self, story, actions):
        torch.set_default_dtype(self.dtype)
        for t, action in enumerate(actions):
            self.ppo.act(self.seen(story.seen[t]))
            self.ppo.transition.actions = self.of(action)
            self.ppo.transition.actions_log_prob = self.ppo.actor.get_output_log_prob(self.of(action)).detach()
            self.ppo.process_env_step(self.seen(story.seen[t]), self.of(story.reward[t]), torch.from_numpy(story.terminated[t] | story.truncated[t]),
                                      {"time_outs": torch.from_numpy(story.truncated[t])})
        self.ppo.compute_returns(self.seen(story.seen[-1]))
        return self.ppo.update()

    @property
    def numbers(self):
        return np.concatenate([p.detach().numpy().astype(np.float64).reshape(-1) for p in self.parameters])


def test_ten_iterations_beside_rsl_rl():
    """Where a gradient is near zero, rounding decides which way Adam's first steps go. rsl_rl in single precision, beside double, says by how much."""
    shape = envs, steps, n, nu, hidden = 64, 12, 12, 4, (32, 16)
    rng = np.random.default_rng(5)
    try:
        with Learner(envs, n, nu, hidden=hidden, steps=steps, epochs=4, minibatches=1, deviation=0.5, average=0.0, seed=9, threads=2) as learner:
            first = learner.get()
            single, double = (Theirs(dtype, first, *shape) for dtype in (torch.float32, torch.float64))
            for iteration in range(10):
                story = Story(rng, steps, envs, n)
                actions = live(learner, story)
                told = [ppo.iterate(story, actions) for ppo in (single, double)]
                report = learner.update(story.seen[-1])
                way = np.linalg.norm(double.numbers - first)
                off, theirs = (np.linalg.norm(x - double.numbers) / way for x in (learner.get(), single.numbers))
                assert report.rate == pytest.approx(double.ppo.learning_rate, rel=1e-9)
                assert report.value_loss == pytest.approx(told[1]["value"], rel=1e-5) and report.surrogate == pytest.approx(told[1]["surrogate"], abs=1e-6)
                assert off < max(5 * theirs, 2e-5), f"iteration {iteration}: weights are off by {off} of their way, rsl_rl's in single precision by {theirs}"
    finally:
        torch.set_default_dtype(torch.float32)
