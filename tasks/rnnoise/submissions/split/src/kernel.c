// RNNoise with eight products a cycle. Activations are two planes of bytes, the upper signed and
// the lower unsigned; all vectors lie in one order, padded to multiples of 8:
//
//   denoise state | noise state | features | vad state | dense
//
// so that the inputs of every layer, its own state included, are one run: of the denoise layer the
// first four, of the noise layer the last four, of the vad layer the last two.
#include <rnnoise_table.h>
#include <simfarm.h>

enum {
  FEATURES,
  INPUT_DENSE,
  VAD_GRU = 3,
  NOISE_GRU = 6,
  DENOISE_GRU = 9,
  DENOISE_OUTPUT = 12,
  VAD_OUTPUT = 14,
  GAINS = 16,
  SPEECH
};
enum { MAX_OWN = 6, PLANE = 256 };
enum { ACTIVATION_BITS = 9, SUM_BITS = 17, STATE_TO_ACTIVATION = 17 };
enum { OWN_PUSH, OWN_GAINS, OWN_SPEECH, OWN_FEATURES, OWN_WEIGHTS };
// One receivers' semaphore for each exchange of a frame, so that a PE that is ahead confuses
// nobody.
enum { PUSH_DENSE = 8, PUSH_VAD = 9, PUSH_NOISE = 11, PUSH_DENOISE = 13 };

// The inner loop fetches one operand behind a run: 8 bytes that no transfer writes meanwhile.
static int8_t activations[2][PLANE + 8] __attribute__((aligned(64)));
SF_SCRATCH static int8_t gated[2][PLANE + 8] __attribute__((aligned(64)));

/// This PE's rows of a matrix: three are computed at a time, over a run of activations.
typedef struct {
  int8_t* rows;    // 8-byte aligned, `pitch` apart, zero where nothing was loaded
  uint32_t start;  // of the run, in a plane
  uint32_t pitch;  // bytes of the run, a multiple of 8
} matrix;

/// The neurons of a layer that are this PE's.
typedef struct {
  uint32_t begin, count;
} part;

typedef struct {
  part own;
  matrix gates;      // update, reset and candidate of a neuron are neighbours
  matrix candidate;  // the candidate's rows over the gated state
  int8_t bias[3][8];
  uint32_t output;  // where the state lies in a plane
  int32_t state[MAX_OWN];
  sf_descriptor push_gated, push_state;
} gru;

/// A dense layer: at most three rows a PE.
typedef struct {
  part own;
  matrix rows;
  int8_t bias[8];
} dense_layer;

#define ROWS static int8_t __attribute__((aligned(8)))
ROWS dense_rows[3 * 64], gain_rows[3 * 96], speech_rows[3 * 32];
ROWS vad_rows[2 * 3 * 64], noise_rows[3 * 3 * 160], denoise_rows[6 * 3 * 224];
ROWS vad_candidate[3 * 32], noise_candidate[3 * 64], denoise_candidate[6 * 96];

static gru vad, noise, denoise;
static dense_layer input_dense, denoise_output, vad_output;
static sf_descriptor push_dense, fetch_features;
SF_SCRATCH static int16_t gains[MAX_OWN], speech[MAX_OWN];
static uint32_t loads;  // transfers of weights that are on their way

static uint32_t padded(uint32_t size) { return (size + 7) & ~7u; }

static part split(uint32_t neurons) {
  part own;
  own.begin = neurons * sf_pe() / sf_pes();
  own.count = neurons * (sf_pe() + 1) / sf_pes() - own.begin;
  return own;
}

// Setting up.

/// Fetches `bytes` of each of `rows` rows for each of `gates` gates.
static void load(int8_t* to, uint32_t to_row, uint32_t to_gate, uint32_t from, uint32_t from_row,
                 uint32_t from_gate, uint32_t rows, uint32_t gates, uint32_t bytes) {
  sf_descriptor d = sf_dma_make(SF_DMA_COPY, 1, sf_address(to), from);
  sf_dma_dim(&d, 0, gates, (int32_t)to_gate, (int32_t)from_gate);
  sf_dma_dim(&d, 1, rows, (int32_t)to_row, (int32_t)from_row);
  sf_dma_dim(&d, 2, bytes, 1, 1);
  sf_dma_release(&d, OWN_WEIGHTS, 1);
  sf_dma(&d);
  ++loads;
}

/// One piece of a recurrent layer's input rows: `bytes` columns from `column` on, which belong to
/// the activations at `place`.
static void load_inputs(gru* layer, const sf_tensor* weights, uint32_t column, uint32_t bytes,
                        uint32_t place) {
  const uint32_t width = weights->shape[2];
  load(layer->gates.rows + place - layer->gates.start, 3 * layer->gates.pitch, layer->gates.pitch,
       weights->address + layer->own.begin * width + column, width, weights->shape[1] * width,
       layer->own.count, 3, bytes);
}

/// A push of own results at `vector` to all other PEs.
static sf_descriptor make_push(int8_t* vector, part own, uint32_t semaphore) {
  const uint32_t address = sf_address(vector + own.begin);
  sf_descriptor push = sf_dma_make(SF_DMA_COPY, 1, address, address);
  sf_dma_dim(&push, 0, 2, PLANE + 8, PLANE + 8);
  sf_dma_dim(&push, 1, own.count, 1, 1);
  sf_dma_multicast(&push, 0, 0, sf_columns() - 1, sf_rows() - 1, 0);
  sf_dma_release(&push, OWN_PUSH, 1);
  sf_dma_release_receivers(&push, semaphore, 1);
  return push;
}

/// Everything of a recurrent layer but its input rows. Its state is the first piece of its run.
static void set_up(gru* layer, int8_t* rows, int8_t* candidate, const sf_tensor* weights,
                   uint32_t start, uint32_t end, uint32_t semaphore) {
  const sf_tensor* recurrent = weights + 1;
  const uint32_t neurons = weights->shape[1];
  layer->own = split(neurons);
  layer->gates.rows = rows;
  layer->gates.start = start;
  layer->gates.pitch = end - start;
  layer->candidate.rows = candidate;
  layer->candidate.pitch = padded(neurons);
  layer->output = start;
  const uint32_t first = recurrent->address + layer->own.begin * neurons;
  load(rows, 3 * layer->gates.pitch, layer->gates.pitch, first, neurons, neurons * neurons,
       layer->own.count, 2, neurons);
  load(candidate, layer->candidate.pitch, 0, first + 2 * neurons * neurons, neurons, 0,
       layer->own.count, 1, neurons);
  load(&layer->bias[0][0], 0, 8, weights[2].address + layer->own.begin, 0, neurons, 1, 3,
       layer->own.count);
  layer->push_gated = make_push(gated[0], layer->own, semaphore);
  layer->push_state = make_push(activations[0] + start, layer->own, semaphore + 1);
}

static void set_up_dense(dense_layer* layer, int8_t* rows, const sf_tensor* weights,
                         uint32_t start) {
  const uint32_t width = weights->shape[1];
  layer->own = split(weights->shape[0]);
  layer->rows.rows = rows;
  layer->rows.start = start;
  layer->rows.pitch = padded(width);
  load(rows, layer->rows.pitch, 0, weights->address + layer->own.begin * width, width, 0,
       layer->own.count, 1, width);
  load(layer->bias, 0, 0, weights[1].address + layer->own.begin, 0, 0, 1, 1, layer->own.count);
}

// Running.

// Texts for the inner loop: a row's eight weights in two registers.
#define ROW(r) "%[l" #r "]", "%[h" #r "]"
#define EXPAND(macro, ...) macro(__VA_ARGS__)
#define LOAD(r) EXPAND(SF_T_LD2_STEP, ROW(r), "%[w" #r "]", 8)
#define UPPER(r) EXPAND(SF_T_XSDOT8, "%[u" #r "]", ROW(r))
#define UPPER_THEN_LOWER(r) EXPAND(SF_T_XSDOT8_LD, "%[u" #r "]", ROW(r), "%[lower]")
#define LOWER(r) EXPAND(SF_T_XUSDOT8, "%[s" #r "]", ROW(r))
#define LOWER_THEN_UPPER(r) EXPAND(SF_T_XUSDOT8_LD, "%[s" #r "]", ROW(r), "%[upper]")

/// Three rows, from row `first` on, times a run of two planes.
static __attribute__((noinline)) void three_rows(const matrix* m, uint32_t first,
                                                 const int8_t (*planes)[PLANE + 8],
                                                 int32_t sum[3]) {
  const int8_t* w0 = m->rows + first * m->pitch;
  const int8_t *w1 = w0 + m->pitch, *w2 = w1 + m->pitch;
  const int8_t *upper = planes[0] + m->start, *lower = planes[1] + m->start;
  int32_t u0 = 0, u1 = 0, u2 = 0, s0 = 0, s1 = 0, s2 = 0;
  uint32_t l0, h0, l1, h1, l2, h2;
  __asm__ volatile(SF_T_XLD("%[upper]")  //
                   SF_LOOP(0, "%[n]",
                           LOAD(0) LOAD(1) LOAD(2)                //
                           UPPER(0) UPPER(1) UPPER_THEN_LOWER(2)  //
                           LOWER(0) LOWER(1) LOWER_THEN_UPPER(2))
                   : [u0] "+r"(u0), [u1] "+r"(u1), [u2] "+r"(u2), [s0] "+r"(s0), [s1] "+r"(s1),
                     [s2] "+r"(s2), [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2),
                     [upper] "+r"(upper), [lower] "+r"(lower), [l0] "=&r"(l0), [h0] "=&r"(h0),
                     [l1] "=&r"(l1), [h1] "=&r"(h1), [l2] "=&r"(l2), [h2] "=&r"(h2)
                   : [n] "r"(m->pitch / 8)
                   : "memory");
  sum[0] = u0 * 256 + s0;
  sum[1] = u1 * 256 + s1;
  sum[2] = u2 * 256 + s2;
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

static void put(int8_t (*planes)[PLANE + 8], uint32_t at, int32_t activation) {
  planes[0][at] = (int8_t)(activation >> 8);
  planes[1][at] = (int8_t)activation;
}

static int32_t to_activation(int32_t state) {
  const int32_t rounded = sf_rshr(state, STATE_TO_ACTIVATION);
  return rounded < 32767 ? rounded : 32767;
}

/// Pushes, and waits for everybody's; `semaphore` is a constant.
#define EXCHANGE(push, semaphore)       \
  do {                                  \
    sf_dma(push);                       \
    if (sf_pes() > 1) {                 \
      sf_wait(semaphore, sf_pes() - 1); \
    }                                   \
    sf_wait(OWN_PUSH, 1);               \
  } while (0)

/// Gates of all own neurons; the gated state is ready to be pushed. The candidates' sums so far go
/// to `candidate`.
static void run_gates(gru* layer, int32_t* update, int32_t* candidate) {
  for (uint32_t i = 0; i < layer->own.count; ++i) {
    int32_t sum[3];
    three_rows(&layer->gates, 3 * i, activations, sum);
    update[i] = half_tanh(sum[0] + layer->bias[0][i] * (1 << ACTIVATION_BITS));
    const int32_t reset = half_tanh(sum[1] + layer->bias[1][i] * (1 << ACTIVATION_BITS));
    candidate[i] = sum[2] + layer->bias[2][i] * (1 << ACTIVATION_BITS);
    put(gated, layer->own.begin + i,
        to_activation(sf_rqmul(layer->state[i], (32768 + reset) << 15)));
  }
}

/// New states of all own neurons, ready to be pushed.
static void run_candidates(gru* layer, const int32_t* update, const int32_t* candidate) {
  for (uint32_t first = 0; first < layer->own.count; first += 3) {
    int32_t sum[3];
    three_rows(&layer->candidate, first, gated, sum);
    for (uint32_t i = first; i < layer->own.count && i < first + 3; ++i) {
      int32_t value = candidate[i] + sum[i - first];
      value = value < 0 ? 0 : value > (1 << 22) - 1 ? (1 << 22) - 1 : value;
      layer->state[i] += sf_rqmul((value << 9) - layer->state[i], (32768 - update[i]) << 15);
      put(activations, layer->output + layer->own.begin + i, to_activation(layer->state[i]));
    }
  }
}

static void run_output(const dense_layer* layer, int16_t* to) {
  int32_t sum[3];
  three_rows(&layer->rows, 0, activations, sum);
  for (uint32_t i = 0; i < layer->own.count; ++i)
    to[i] = (int16_t)((32768 + half_tanh(sum[i] + layer->bias[i] * (1 << ACTIVATION_BITS))) >> 1);
}

SF_MAIN(arguments) {
  const sf_tensor* tensors = sf_tensor_at(arguments, 0);
  const uint32_t frames = tensors[FEATURES].shape[0], n_features = tensors[FEATURES].shape[1];
  const uint32_t n_dense = tensors[INPUT_DENSE].shape[0], n_vad = tensors[VAD_GRU].shape[1];
  const uint32_t n_noise = tensors[NOISE_GRU].shape[1], n_denoise = tensors[DENOISE_GRU].shape[1];
  const uint32_t n_bands = tensors[GAINS].shape[1];

  const uint32_t at_noise = padded(n_denoise), at_features = at_noise + padded(n_noise);
  const uint32_t at_vad = at_features + padded(n_features), at_dense = at_vad + padded(n_vad);
  const uint32_t end = at_dense + padded(n_dense);

  // A frame's features, from pairs of bytes to planes.
  fetch_features = sf_dma_make(SF_DMA_COPY, 1, sf_address(activations[1] + at_features),
                               tensors[FEATURES].address);
  sf_dma_dim(&fetch_features, 0, n_features, 1, 2);
  sf_dma_dim(&fetch_features, 1, 2, -(PLANE + 8), 1);
  sf_dma_release(&fetch_features, OWN_FEATURES, 1);
  sf_dma(&fetch_features);

  set_up_dense(&input_dense, dense_rows, &tensors[INPUT_DENSE], at_features);
  push_dense = make_push(activations[0] + at_dense, input_dense.own, PUSH_DENSE);
  set_up(&vad, vad_rows, vad_candidate, &tensors[VAD_GRU], at_vad, end, PUSH_VAD);
  load_inputs(&vad, &tensors[VAD_GRU], 0, n_dense, at_dense);
  set_up(&noise, noise_rows, noise_candidate, &tensors[NOISE_GRU], at_noise, end, PUSH_NOISE);
  load_inputs(&noise, &tensors[NOISE_GRU], 0, n_dense, at_dense);
  load_inputs(&noise, &tensors[NOISE_GRU], n_dense, n_vad, at_vad);
  load_inputs(&noise, &tensors[NOISE_GRU], n_dense + n_vad, n_features, at_features);
  set_up(&denoise, denoise_rows, denoise_candidate, &tensors[DENOISE_GRU], 0, at_dense,
         PUSH_DENOISE);
  load_inputs(&denoise, &tensors[DENOISE_GRU], 0, n_vad, at_vad);
  load_inputs(&denoise, &tensors[DENOISE_GRU], n_vad, n_noise, at_noise);
  load_inputs(&denoise, &tensors[DENOISE_GRU], n_vad + n_noise, n_features, at_features);
  set_up_dense(&denoise_output, gain_rows, &tensors[DENOISE_OUTPUT], 0);
  set_up_dense(&vad_output, speech_rows, &tensors[VAD_OUTPUT], at_vad);
  sf_wait(OWN_WEIGHTS, loads);

  int32_t update[MAX_OWN], candidate[MAX_OWN];
  for (uint32_t frame = 0; frame < frames; ++frame) {
    sf_wait(OWN_FEATURES, 1);
    int32_t sum[3];
    three_rows(&input_dense.rows, 0, activations, sum);
    for (uint32_t i = 0; i < input_dense.own.count; ++i) {
      const int32_t total = sum[i] + input_dense.bias[i] * (1 << ACTIVATION_BITS);
      put(activations, at_dense + input_dense.own.begin + i,
          sf_rshr(tanh_of(total, SUM_BITS - 5), 15 - ACTIVATION_BITS));
    }
    EXCHANGE(&push_dense, PUSH_DENSE);

    run_gates(&vad, update, candidate);
    EXCHANGE(&vad.push_gated, PUSH_VAD);
    run_candidates(&vad, update, candidate);
    EXCHANGE(&vad.push_state, PUSH_VAD + 1);
    if (vad_output.own.count != 0) {
      if (frame != 0) sf_wait(OWN_SPEECH, 1);
      run_output(&vad_output, speech);
      sf_descriptor store =
          sf_dma_bytes(tensors[SPEECH].address + 2 * (frame + vad_output.own.begin),
                       sf_address(speech), 2 * vad_output.own.count, OWN_SPEECH);
      sf_dma(&store);
    }

    run_gates(&noise, update, candidate);
    EXCHANGE(&noise.push_gated, PUSH_NOISE);
    run_candidates(&noise, update, candidate);
    EXCHANGE(&noise.push_state, PUSH_NOISE + 1);

    run_gates(&denoise, update, candidate);
    if (frame + 1 != frames) {
      // Nobody reads this frame's features any more.
      fetch_features.source += 2 * n_features;
      sf_dma(&fetch_features);
    }
    EXCHANGE(&denoise.push_gated, PUSH_DENOISE);
    run_candidates(&denoise, update, candidate);
    EXCHANGE(&denoise.push_state, PUSH_DENOISE + 1);
    if (denoise_output.own.count != 0) {
      if (frame != 0) sf_wait(OWN_GAINS, 1);
      run_output(&denoise_output, gains);
      sf_descriptor store =
          sf_dma_bytes(tensors[GAINS].address + 2 * (frame * n_bands + denoise_output.own.begin),
                       sf_address(gains), 2 * denoise_output.own.count, OWN_GAINS);
      sf_dma(&store);
    }
  }
  return 0;
}
