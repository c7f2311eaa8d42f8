"""What rnnoise asks for, in integers: the judge of every kernel. GUIDE.md tells the same in words.

Formats: weights and biases int8 / 256; activations int16 / 2^9; sums therefore int32 / 2^17; states
int32 / 2^26; sigmoid and tanh int / 2^15; outputs int16 / 2^15.
"""
import numpy as np

ACTIVATION_BITS = 9
SUM_BITS = ACTIVATION_BITS + 8
STATE_BITS = 26
STATE_TO_ACTIVATION = STATE_BITS - ACTIVATION_BITS

# tanh at multiples of 1/32 from 0 to 8, in units of 2^-15.
TABLE = np.minimum(np.floor(32768 * np.tanh(np.arange(257) / 32) + 0.5), 32767).astype(np.int64)


def tanh(total, step_bits):
    """tanh of total / 2^(step_bits + 5), by interpolation, in units of 2^-15."""
    magnitude = np.abs(total)
    entry = np.minimum(magnitude >> step_bits, 256)
    rest = np.where(entry == 256, 0, magnitude & ((1 << step_bits) - 1))
    low = TABLE[entry]
    high = TABLE[np.minimum(entry + 1, 256)]
    value = low + (((high - low) * rest + (1 << (step_bits - 1))) >> step_bits)
    return np.where(total < 0, -value, value)


def sigmoid_tanh(total):
    """tanh(x / 2) for the sum x: sigmoid(x) is (1 + that) / 2."""
    return tanh(total, SUM_BITS - 4)


def round_shift(value, amount):
    """value / 2^amount, to nearest, ties away from zero; gp.rshr."""
    half = 1 << (amount - 1)
    return np.where(value >= 0, (value + half) >> amount, -((half - value) >> amount))


def high_product(a, b):
    """The upper half of 2ab, to nearest, ties away from zero; gp.rqmul."""
    product = a * b
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    return np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))


def to_activation(state):
    """A state, or a product of one, for use in sums."""
    return np.minimum(round_shift(state, STATE_TO_ACTIVATION), 32767)


def sums(bias, *terms):
    """bias + weights x activations, in units of 2^-17. Must fit 32 bits: generate.py sees to it."""
    total = bias.astype(np.int64) << ACTIVATION_BITS
    for weights, activations in terms:
        total = total + weights.astype(np.int64) @ activations
    assert np.all(np.abs(total) < 2**31), "a sum leaves 32 bits"
    return total


def gru(inputs, name, x, state):
    """One step of a gated recurrent layer; gates in the order update, reset, candidate."""
    weights = inputs[name + "_weights"]
    recurrent = inputs[name + "_recurrent_weights"]
    bias = inputs[name + "_bias"]
    old = to_activation(state)
    update = sigmoid_tanh(sums(bias[0], (weights[0], x), (recurrent[0], old)))
    reset = sigmoid_tanh(sums(bias[1], (weights[1], x), (recurrent[1], old)))
    gated = to_activation(high_product(state, (32768 + reset) << 15))
    candidate = sums(bias[2], (weights[2], x), (recurrent[2], gated))
    candidate = np.clip(candidate, 0, (1 << 22) - 1) << (STATE_BITS - SUM_BITS)
    return state + high_product(candidate - state, (32768 - update) << 15)


def output(weights, bias, state):
    """A dense layer with sigmoid, as int16 / 2^15."""
    return (32768 + sigmoid_tanh(sums(bias, (weights, to_activation(state))))) >> 1


def compute(inputs, attributes):
    """The expected tensors of a case, by name."""
    vad = np.zeros(inputs["vad_gru_weights"].shape[1], np.int64)
    noise = np.zeros(inputs["noise_gru_weights"].shape[1], np.int64)
    denoise = np.zeros(inputs["denoise_gru_weights"].shape[1], np.int64)
    gains, speech = [], []
    for frame in inputs["features"].astype(np.int64):
        dense = sums(inputs["input_dense_bias"], (inputs["input_dense_weights"], frame))
        dense = round_shift(tanh(dense, SUM_BITS - 5), 15 - ACTIVATION_BITS)
        vad = gru(inputs, "vad_gru", dense, vad)
        speech.append(output(inputs["vad_output_weights"], inputs["vad_output_bias"], vad))
        x = np.concatenate([dense, to_activation(vad), frame])
        noise = gru(inputs, "noise_gru", x, noise)
        x = np.concatenate([to_activation(vad), to_activation(noise), frame])
        denoise = gru(inputs, "denoise_gru", x, denoise)
        gains.append(output(inputs["denoise_output_weights"], inputs["denoise_output_bias"], denoise))
    return {"gains": np.array(gains, np.int16), "speech": np.array(speech, np.int16)}
