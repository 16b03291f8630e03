"""Models of MJCF texts and batches that stand alone: of tests that compare with MuJoCo, where warnings of what is hard here are not the matter."""
import warnings

import myriapod


def model_of(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return myriapod.Model.from_text(text)


def batch_of(model, envs, precision="f64", **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return myriapod.Batch(model, envs, task="none", precision=precision, spin_damping=0, **settings)
