package models

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// LLM are the settings of a text generation container, defaults filled in.
type LLM struct {
	// EightBit quantizes the weights to 8 bits.
	EightBit bool
	// PipelineParallel is the number of stages and TensorParallel of parts of a
	// stage; each part has a device.
	PipelineParallel, TensorParallel int
	// MaxModelLen bounds a prompt and its answer, MaxBatchedTokens the tokens of a
	// batch and MaxSeqs its sequences.
	MaxModelLen, MaxBatchedTokens inference.Tokens
	MaxSeqs                       int
	// Utilization is the share of each device's memory that the runner takes.
	Utilization float64
}

// The runner's variables, in the order of its documentation.
const (
	use8Bit          = "USE_8BIT"
	pipelineParallel = "PIPELINE_PARALLEL_SIZE"
	tensorParallel   = "TENSOR_PARALLEL_SIZE"
	maxModelLen      = "MAX_MODEL_LEN"
	maxBatchedTokens = "MAX_NUM_BATCHED_TOKENS"
	maxSeqs          = "MAX_NUM_SEQS"
	utilization      = "GPU_MEMORY_UTILIZATION"
)

func llmVariables() []string {
	return []string{use8Bit, pipelineParallel, tensorParallel, maxModelLen, maxBatchedTokens, maxSeqs, utilization}
}

// DefaultLLM returns the settings of an entry that names none.
func DefaultLLM() LLM {
	return LLM{
		PipelineParallel: 1, TensorParallel: 1, MaxModelLen: 8192, MaxBatchedTokens: 8192, MaxSeqs: 128,
		Utilization: 0.97,
	}
}

// settings returns all variables, so that the runner does not depend on the image's defaults.
func (m *LLM) settings() Settings {
	return Settings{
		NewSetting(use8Bit, strconv.FormatBool(m.EightBit)),
		NewSetting(pipelineParallel, strconv.Itoa(m.PipelineParallel)),
		NewSetting(tensorParallel, strconv.Itoa(m.TensorParallel)),
		NewSetting(maxModelLen, strconv.FormatInt(int64(m.MaxModelLen), 10)),
		NewSetting(maxBatchedTokens, strconv.FormatInt(int64(m.MaxBatchedTokens), 10)),
		NewSetting(maxSeqs, strconv.Itoa(m.MaxSeqs)),
		NewSetting(utilization, strconv.FormatFloat(m.Utilization, 'g', -1, 64)),
	}
}

// devices returns how many the runner spreads itself over.
func (m *LLM) devices() int { return m.PipelineParallel * m.TensorParallel }

// maxSetting bounds the runner's numbers well above what any machine has.
const maxSetting = 1 << 30

// rejectSetting refuses an entry for one of the variables.
func (d *draft) rejectSetting(name, text, remedy string) {
	at := d.given["optimization_flags"]
	if line := d.flagLines[name]; line > 0 {
		at.line = line
	}
	d.reject(fault.RunnerSettingInvalid, at, "optimization_flags."+name, text, remedy)
}

// finishLLM reads the variables and checks them together.
func (d *draft) finishLLM() {
	m := DefaultLLM()
	d.switchSetting(use8Bit, &m.EightBit)
	spread := d.numberSetting(pipelineParallel, &m.PipelineParallel, maxGPUs)
	spread = d.numberSetting(tensorParallel, &m.TensorParallel, maxGPUs) && spread
	batch := d.tokensSetting(maxModelLen, &m.MaxModelLen)
	batch = d.tokensSetting(maxBatchedTokens, &m.MaxBatchedTokens) && batch
	d.numberSetting(maxSeqs, &m.MaxSeqs, maxSetting)
	d.shareSetting(&m)
	d.entry.LLM = &m
	// Check what could be read, so that all mistakes are reported at once.
	if batch {
		d.checkBatch(&m)
	}
	if spread {
		d.checkParallel(&m)
	}
}

func (d *draft) switchSetting(name string, to *bool) {
	v, given := d.entry.Flags.Lookup(name)
	if !given {
		return
	}
	on, ok := truth(v)
	if !ok {
		d.rejectSetting(name, quoted(v)+" is neither true nor false", "write true or false")
	}
	*to = on == "true"
}

func (d *draft) numberSetting(name string, to *int, most int) bool {
	v, given := d.entry.Flags.Lookup(name)
	if !given {
		return true
	}
	n, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil || n < 1 || n > most {
		d.rejectSetting(name, quoted(v)+" is not a whole number from 1 to "+strconv.Itoa(most), "write a whole number")
		return false
	}
	*to = n
	return true
}

func (d *draft) tokensSetting(name string, to *inference.Tokens) bool {
	n := int(*to)
	ok := d.numberSetting(name, &n, maxSetting)
	*to = inference.Tokens(n)
	return ok
}

func (d *draft) shareSetting(m *LLM) {
	v, given := d.entry.Flags.Lookup(utilization)
	if !given {
		return
	}
	share, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
	if err != nil || !(share > 0 && share <= 1) {
		d.rejectSetting(utilization, quoted(v)+" is not above 0 and at most 1", "write 0.97 for 97 % of the device's memory")
		return
	}
	m.Utilization = share
}

// checkBatch: the runner exits at its start if a batch is shorter than the longest
// sequence.
func (d *draft) checkBatch(m *LLM) {
	if m.MaxBatchedTokens >= m.MaxModelLen {
		return
	}
	length := strconv.FormatInt(int64(m.MaxModelLen), 10)
	if _, given := d.entry.Flags.Lookup(maxBatchedTokens); !given {
		m.MaxBatchedTokens = m.MaxModelLen
		d.notice("optimization_flags."+maxBatchedTokens,
			"is left out and set to "+length+", as it must not be less than MAX_MODEL_LEN")
		return
	}
	batch := strconv.FormatInt(int64(m.MaxBatchedTokens), 10)
	d.rejectSetting(maxBatchedTokens, batch+" is less than MAX_MODEL_LEN, "+length, "write "+length+" or more")
}

// checkParallel compares the parts of the model with the devices of the entry.
func (d *draft) checkParallel(m *LLM) {
	_, tensorGiven := d.entry.Flags.Lookup(tensorParallel)
	if _, named := d.given["gpus"]; named && !tensorGiven && d.entry.GPUs.Count%m.PipelineParallel == 0 {
		// Devices without a tensor size mean that the model is split over them.
		m.TensorParallel = d.entry.GPUs.Count / m.PipelineParallel
	} else if named && d.entry.GPUs.Count != m.devices() {
		d.rejectSetting(tensorParallel, strconv.Itoa(m.TensorParallel)+" times PIPELINE_PARALLEL_SIZE "+
			strconv.Itoa(m.PipelineParallel)+" are "+count(m.devices(), "device")+
			", gpus names "+strconv.Itoa(d.entry.GPUs.Count), "make them equal")
		return
	}
	d.entry.GPUs.Count = m.devices()
}

// checkShape compares the parts of the model with its shape, if that is known.
func (d *draft) checkShape() {
	m := d.entry.LLM
	if m == nil || m.devices() == 1 || d.refused {
		return
	}
	shape, why := d.l.shapeOf(d.entry.Model.ID)
	if why != "" {
		d.notice("optimization_flags",
			"whether the model can be spread over "+count(m.devices(), "device")+" was not checked: "+why)
		return
	}
	if shape.heads > 0 && shape.heads%m.TensorParallel != 0 {
		d.rejectSetting(tensorParallel, strconv.Itoa(m.TensorParallel)+
			" does not divide the model's "+strconv.Itoa(shape.heads)+" attention heads",
			"write "+divisors(shape.heads, maxGPUs))
	}
	if shape.layers > 0 && m.PipelineParallel > shape.layers {
		d.rejectSetting(pipelineParallel, strconv.Itoa(m.PipelineParallel)+
			" is more than the model's "+strconv.Itoa(shape.layers)+" layers",
			"write "+strconv.Itoa(shape.layers)+" or less")
	}
}

// divisors lists the few smallest numbers that divide n.
func divisors(n, most int) string {
	var out []string
	for i := 1; i <= min(n, most) && len(out) < 5; i++ {
		if n%i == 0 {
			out = append(out, strconv.Itoa(i))
		}
	}
	return list(out)
}

// count writes "1 device", "2 devices".
func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
