// The starting kernel, but every PE waits for a push of its own as well, which does not come.
#include <rnnoise_table.h>
#include <simfarm.h>

enum {
  FEATURES,
  INPUT_DENSE,  // three tensors a GRU, weights, recurrent weights, bias; two a dense layer
  VAD_GRU = 3,
  NOISE_GRU = 6,
  DENOISE_GRU = 9,
  DENOISE_OUTPUT = 12,
  VAD_OUTPUT = 14,
  GAINS = 16,
  SPEECH
};
enum { MAX_OWN = 6, MAX_INPUTS = 128, MAX_NEURONS = 96, MAX_FEATURES = 48 };
enum { ACTIVATION_BITS = 9, SUM_BITS = 17, STATE_TO_ACTIVATION = 17 };
// Receivers' semaphores, in turns: a PE can be one exchange ahead of another, but not two.
enum { PUSHED = 8 };

/// The neurons of a layer that are this PE's: begin <= neuron < end.
typedef struct {
  uint32_t begin, end, inputs;
} part;

static part split(uint32_t neurons, uint32_t inputs) {
  part own = {neurons * sf_pe() / sf_pes(), neurons * (sf_pe() + 1) / sf_pes(), inputs};
  return own;
}

/// A dense layer's own rows.
typedef struct {
  part own;
  int8_t weights[MAX_OWN][MAX_INPUTS];
  int8_t bias[MAX_OWN];
} dense_layer;

/// A recurrent layer's own rows, gates update, reset, candidate, and its state.
typedef struct {
  part own;
  int8_t weights[3][MAX_OWN][MAX_INPUTS];
  int8_t recurrent[3][MAX_OWN][MAX_NEURONS];
  int8_t bias[3][MAX_OWN];
  int32_t state[MAX_OWN];      // / 2^26
  int16_t all[MAX_NEURONS];    // the state of all neurons, / 2^9
  int16_t gated[MAX_NEURONS];  // the same times the reset gate
} gru_layer;

static dense_layer input_dense, denoise_output, vad_output;
static gru_layer vad, noise, denoise;
static int16_t features[MAX_FEATURES], dense[MAX_NEURONS], inputs[MAX_INPUTS];
static int16_t result[MAX_OWN];
static uint32_t exchanges;

static void load_rows(int8_t* to, uint32_t pitch, const sf_tensor* tensor, uint32_t first_row,
                      uint32_t rows, uint32_t bytes) {
  for (uint32_t row = 0; row < rows; ++row)
    sf_copy(sf_address(to + row * pitch), tensor->address + (first_row + row) * bytes, bytes);
}

static void load_dense(dense_layer* layer, const sf_tensor* weights) {
  const uint32_t count = layer->own.end - layer->own.begin;
  load_rows(&layer->weights[0][0], MAX_INPUTS, weights, layer->own.begin, count, layer->own.inputs);
  sf_copy(sf_address(layer->bias), weights[1].address + layer->own.begin, count);
}

static void load_gru(gru_layer* layer, const sf_tensor* weights) {
  const uint32_t count = layer->own.end - layer->own.begin, neurons = weights->shape[1];
  for (uint32_t gate = 0; gate < 3; ++gate) {
    const uint32_t first = gate * neurons + layer->own.begin;
    load_rows(&layer->weights[gate][0][0], MAX_INPUTS, &weights[0], first, count,
              layer->own.inputs);
    load_rows(&layer->recurrent[gate][0][0], MAX_NEURONS, &weights[1], first, count, neurons);
    sf_copy(sf_address(layer->bias[gate]), weights[2].address + first, count);
  }
}

/// Gives this PE's part of a vector to all other PEs, and waits for theirs.
static void exchange(int16_t* vector, part own) {
  if (sf_pes() == 1) return;
  const uint32_t address = sf_address(vector + own.begin);
  sf_descriptor push = sf_dma_make(SF_DMA_COPY, 2, address, address);
  sf_dma_dim(&push, 0, own.end - own.begin, 2, 2);
  sf_dma_multicast(&push, 0, 0, sf_columns() - 1, sf_rows() - 1, 0);
  sf_dma_release(&push, 0, 1);
  sf_dma_release_receivers(&push, PUSHED + (exchanges & 1), 1);
  sf_dma(&push);
  if (exchanges & 1)
    sf_wait(PUSHED + 1, sf_pes() - 1);
  else
    sf_wait(PUSHED, sf_pes());
  sf_wait(0, 1);
  ++exchanges;
}

static int32_t dot(const int8_t* weights, const int16_t* activations, uint32_t count) {
  int32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += weights[i] * activations[i];
  return sum;
}

/// tanh(sum / 2^(step_bits + 5)), / 2^15.
static int32_t tanh_of(int32_t sum, uint32_t step_bits) {
  const uint32_t magnitude = (uint32_t)(sum < 0 ? -sum : sum);
  const uint32_t entry = magnitude >> step_bits;
  int32_t value = rnnoise_tanh[256];
  if (entry < 256) {
    const int32_t rest = (int32_t)(magnitude & ((1u << step_bits) - 1));
    const int32_t low = rnnoise_tanh[entry], high = rnnoise_tanh[entry + 1];
    value = low + (((high - low) * rest + (1 << (step_bits - 1))) >> step_bits);
  }
  return sum < 0 ? -value : value;
}

/// tanh(x / 2) of a sum x; the sigmoid of x is (1 + that) / 2.
static int32_t half_tanh(int32_t sum) { return tanh_of(sum, SUM_BITS - 4); }

static int16_t to_activation(int32_t state) {
  const int32_t rounded = sf_rshr(state, STATE_TO_ACTIVATION);
  return (int16_t)(rounded < 32767 ? rounded : 32767);
}

static int32_t gate_sum(const gru_layer* layer, int gate, uint32_t i, const int16_t* recurrent,
                        uint32_t neurons) {
  return layer->bias[gate][i] * (1 << ACTIVATION_BITS) +
         dot(layer->weights[gate][i], inputs, layer->own.inputs) +
         dot(layer->recurrent[gate][i], recurrent, neurons);
}

/// One step of a recurrent layer on `inputs`.
static void run_gru(gru_layer* layer, uint32_t neurons) {
  const uint32_t begin = layer->own.begin, count = layer->own.end - begin;
  int32_t update[MAX_OWN];
  for (uint32_t i = 0; i < count; ++i) {
    update[i] = half_tanh(gate_sum(layer, 0, i, layer->all, neurons));
    const int32_t reset = half_tanh(gate_sum(layer, 1, i, layer->all, neurons));
    layer->gated[begin + i] = to_activation(sf_rqmul(layer->state[i], (32768 + reset) << 15));
  }
  exchange(layer->gated, layer->own);
  for (uint32_t i = 0; i < count; ++i) {
    int32_t candidate = gate_sum(layer, 2, i, layer->gated, neurons);
    candidate = candidate < 0 ? 0 : candidate > (1 << 22) - 1 ? (1 << 22) - 1 : candidate;
    layer->state[i] += sf_rqmul((candidate << 9) - layer->state[i], (32768 - update[i]) << 15);
    layer->all[begin + i] = to_activation(layer->state[i]);
  }
  exchange(layer->all, layer->own);
}

/// A sigmoid layer on `state`; writes this PE's outputs of one frame.
static void run_output(const dense_layer* layer, const int16_t* state, uint32_t address) {
  const uint32_t count = layer->own.end - layer->own.begin;
  if (count == 0) return;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t sum =
        layer->bias[i] * (1 << ACTIVATION_BITS) + dot(layer->weights[i], state, layer->own.inputs);
    result[i] = (int16_t)((32768 + half_tanh(sum)) >> 1);
  }
  sf_copy(address + 2 * layer->own.begin, sf_address(result), 2 * count);
}

/// Appends a vector to `inputs`.
static uint32_t append(uint32_t at, const int16_t* vector, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) inputs[at + i] = vector[i];
  return at + count;
}

SF_MAIN(arguments) {
  const sf_tensor* tensors = sf_tensor_at(arguments, 0);
  const uint32_t frames = tensors[FEATURES].shape[0], n_features = tensors[FEATURES].shape[1];
  const uint32_t n_dense = tensors[INPUT_DENSE].shape[0], n_vad = tensors[VAD_GRU].shape[1];
  const uint32_t n_noise = tensors[NOISE_GRU].shape[1], n_denoise = tensors[DENOISE_GRU].shape[1];
  const uint32_t n_bands = tensors[GAINS].shape[1];

  input_dense.own = split(n_dense, n_features);
  vad.own = split(n_vad, n_dense);
  noise.own = split(n_noise, n_dense + n_vad + n_features);
  denoise.own = split(n_denoise, n_vad + n_noise + n_features);
  denoise_output.own = split(n_bands, n_denoise);
  vad_output.own = split(1, n_vad);
  load_dense(&input_dense, &tensors[INPUT_DENSE]);
  load_gru(&vad, &tensors[VAD_GRU]);
  load_gru(&noise, &tensors[NOISE_GRU]);
  load_gru(&denoise, &tensors[DENOISE_GRU]);
  load_dense(&denoise_output, &tensors[DENOISE_OUTPUT]);
  load_dense(&vad_output, &tensors[VAD_OUTPUT]);

  for (uint32_t frame = 0; frame < frames; ++frame) {
    sf_copy(sf_address(features), tensors[FEATURES].address + 2 * frame * n_features,
            2 * n_features);
    for (uint32_t i = input_dense.own.begin; i < input_dense.own.end; ++i) {
      const uint32_t at = i - input_dense.own.begin;
      const int32_t sum = input_dense.bias[at] * (1 << ACTIVATION_BITS) +
                          dot(input_dense.weights[at], features, n_features);
      dense[i] = (int16_t)sf_rshr(tanh_of(sum, SUM_BITS - 5), 15 - ACTIVATION_BITS);
    }
    exchange(dense, input_dense.own);

    append(0, dense, n_dense);
    run_gru(&vad, n_vad);
    run_output(&vad_output, vad.all, tensors[SPEECH].address + 2 * frame);

    append(append(append(0, dense, n_dense), vad.all, n_vad), features, n_features);
    run_gru(&noise, n_noise);

    append(append(append(0, vad.all, n_vad), noise.all, n_noise), features, n_features);
    run_gru(&denoise, n_denoise);
    run_output(&denoise_output, denoise.all, tensors[GAINS].address + 2 * frame * n_bands);
  }
  return 0;
}
