package tinymodel

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Options make a model. Zero fields get defaults.
type Options struct {
	// Name is what the file says the model is called; default "tiny-counting".
	Name string
	// Words is how far it counts, 1 to MaxWords; default 200.
	Words int
	// Embedding, Layers, Heads and FeedForward are its size, which sets what a
	// token costs; default 64, 2, 4 and 128. Context is how long prompt and answer
	// may be together; default 4096.
	Embedding, Layers, Heads, FeedForward, Context int
}

func (o Options) withDefaults() Options {
	orElse := func(n *int, d int) {
		if *n == 0 {
			*n = d
		}
	}
	if o.Name == "" {
		o.Name = "tiny-counting"
	}
	orElse(&o.Words, 200)
	orElse(&o.Embedding, 64)
	orElse(&o.Layers, 2)
	orElse(&o.Heads, 4)
	orElse(&o.FeedForward, 128)
	orElse(&o.Context, 4096)
	return o
}

// chatTemplate frames each message, so that a prompt's number of tokens is its
// characters and a few.
const chatTemplate = `{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + ` +
	`'\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// Make is the model's file in GGUF form, the same bytes for the same options.
func Make(opt Options) ([]byte, error) {
	o := opt.withDefaults()
	if o.Words < 1 || o.Words > MaxWords {
		return nil, fmt.Errorf("a model counts from 1 to at most %d, not %d", MaxWords, o.Words)
	}
	if o.Embedding%o.Heads != 0 || o.Embedding/o.Heads%2 != 0 {
		return nil, fmt.Errorf("embedding %d is no multiple of twice the %d heads", o.Embedding, o.Heads)
	}
	v := newVocabulary(o.Words)
	var f file
	describe(&f, o, v)
	weigh(&f, o, v)
	return f.bytes(), nil
}

func describe(f *file, o Options, v *vocabulary) {
	f.text("general.architecture", "llama")
	f.text("general.name", o.Name)
	f.number("general.file_type", 0)
	f.number("llama.context_length", o.Context)
	f.number("llama.embedding_length", o.Embedding)
	f.number("llama.block_count", o.Layers)
	f.number("llama.feed_forward_length", o.FeedForward)
	f.number("llama.attention.head_count", o.Heads)
	f.number("llama.attention.head_count_kv", o.Heads)
	f.real("llama.attention.layer_norm_rms_epsilon", 1e-5)
	f.number("llama.rope.dimension_count", o.Embedding/o.Heads)
	f.real("llama.rope.freq_base", 10000)
	f.number("llama.vocab_size", len(v.tokens))
	v.describe(f)
	f.text("tokenizer.chat_template", chatTemplate)
}

// weigh computes the weights. The blocks are computed in full by the engine that runs the
// model but add nothing: their last matrices are zero. The output head answers
// each word with the next, and everything that is no word with the first.
func weigh(f *file, o Options, v *vocabulary) {
	rng := rand.New(rand.NewPCG(1, 2))
	n, d := len(v.tokens), o.Embedding
	own := make([][]float32, n)
	for i := range own {
		own[i] = direction(rng, d)
	}
	start := direction(rng, d)

	const gain, trace = 5, 0.05
	embedding := make([]float32, 0, n*d)
	output := make([]float32, n*d)
	for i := range n {
		if v.isWord(i) {
			embedding = append(embedding, own[i]...)
			continue
		}
		for j := range d {
			embedding = append(embedding, start[j]+trace*own[i][j])
		}
	}
	follow := func(token int, after []float32) {
		for j, x := range after {
			output[token*d+j] = gain * x
		}
	}
	follow(v.firstWord, start)
	for i := v.firstWord; i < n-1; i++ {
		follow(i+1, own[i])
	}
	follow(endOfText, own[n-1])

	f.tensor("token_embd.weight", embedding, d, n)
	scale := 1 / math.Sqrt(float64(d))
	for i := range o.Layers {
		p := fmt.Sprintf("blk.%d.", i)
		f.tensor(p+"attn_norm.weight", all(d, 1), d)
		f.tensor(p+"attn_q.weight", noise(rng, d*d, scale), d, d)
		f.tensor(p+"attn_k.weight", noise(rng, d*d, scale), d, d)
		f.tensor(p+"attn_v.weight", noise(rng, d*d, scale), d, d)
		f.tensor(p+"attn_output.weight", all(d*d, 0), d, d)
		f.tensor(p+"ffn_norm.weight", all(d, 1), d)
		f.tensor(p+"ffn_gate.weight", noise(rng, d*o.FeedForward, scale), d, o.FeedForward)
		f.tensor(p+"ffn_up.weight", noise(rng, d*o.FeedForward, scale), d, o.FeedForward)
		f.tensor(p+"ffn_down.weight", all(d*o.FeedForward, 0), o.FeedForward, d)
	}
	f.tensor("output_norm.weight", all(d, 1), d)
	f.tensor("output.weight", output, d, n)
}

func all(n int, x float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = x
	}
	return out
}

func noise(rng *rand.Rand, n int, scale float64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(rng.NormFloat64() * scale)
	}
	return out
}

// direction is a random vector of length 1.
func direction(rng *rand.Rand, n int) []float32 {
	v := noise(rng, n, 1)
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
