package node

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// How long the node may take with memory that others use: a stranger on the GPU is
// named when it has stayed for ten seconds, and forgotten when it has been gone for
// thirty; a device whose sessions failed gets others after some seconds.
const (
	namedIn     = 25 * time.Second
	forgottenIn = 60 * time.Second
	freeIn      = 30 * time.Second
)

// TestCardMemoryTaken: an AI runner alongside the node takes the GPU's memory. Streams go
// on or are refused by name, the operator is shown which program has it, and all is well again
// when it is free.
func TestCardMemoryTaken(t *testing.T) {
	c := card.Open(t)
	parallel(t, c)
	if late(t) {
		return
	}
	b := startBeside(t, c)
	r := startOn(t, c, formOf(c), "-aiWorker", "-aiAllowUnverified", "-aiModels", modelsFile(t, b.external()))
	f := r.film("stream0", 0)
	f.answered(2)
	if !r.whole("a stream before the memory is taken", f.so()) {
		return
	}
	spare := r.spare()
	begun := time.Now()
	taken, left, err := b.take(leaves(c))
	if !card.NoError(t, err, "the runner takes the GPU's free memory", milliseconds(time.Since(begun))) {
		return
	}
	card.CheckThat(t, taken > 0 && left < max(leaves(c), 1)+chunk>>20, "what the runner has taken",
		"all that was free but "+mib(leaves(c)<<20),
		fmt.Sprintf("%d MiB taken, %d MiB left", taken, left), fmt.Sprintf("%d MiB", taken))
	r.withoutMemory(f)
	r.namesTaker(b)
	card.NoError(t, r.chat(), "the runner's model answers meanwhile, through the gateway", "")
	if err := b.give(); !card.NoError(t, err, "the runner returns the memory", "") {
		return
	}
	r.recovers(f, spare)
}

// leaves is how many MiB the runner leaves free: less than a session needs. What a
// simulated session holds is little.
func leaves(c *card.Card) int64 {
	if c.Real() {
		return 64
	}
	return 1
}

// shortCodes are the names under which a node refuses work for want of memory.
var shortCodes = []string{"GPUOutOfMemory", "OrchestratorCapped"}

// withoutMemory looks at a stream that runs and at a new one while there is no memory.
func (r *rig) withoutMemory(f *film) {
	before, asked := len(f.so()), len(r.proc.Log())
	f.answered(before + 3)
	during := f.so()[before:]
	var broken []string
	refused := 0
	for _, o := range during {
		if o.refused() {
			refused++
		} else if o.err != nil {
			broken = append(broken, o.err.Error())
		}
	}
	card.CheckThat(r, len(broken) == 0 && len(during) > 0, "the running stream while there is no memory",
		"goes on, or is refused by name",
		fmt.Sprintf("%d segments, %d refused, %d broken %s", len(during), refused, len(broken),
			cut(strings.Join(broken, "; "))), "")
	o := r.send("comes")
	card.CheckThat(r, o.err == nil || o.refused(), "a new stream while there is no memory", "done, or refused by name",
		fmt.Sprint(o.err), milliseconds(o.took))
	if o.err == nil && refused == 0 {
		card.SkipCheck(r, "the name of a refusal for want of memory", "what the runner left was enough for another session")
		return
	}
	_, named := r.within(logTime, func() bool {
		log := r.proc.Log()[asked:]
		return slices.ContainsFunc(shortCodes, func(code string) bool { return strings.Contains(log, code) })
	})
	card.CheckThat(r, named, "the name of a refusal for want of memory", strings.Join(shortCodes, " or ")+" in the log",
		fmt.Sprint(named), "")
}

// namesTaker checks whether the operator sees which program has the memory.
func (r *rig) namesTaker(b *beside) {
	const what = "the operator is told which program has the memory"
	if _, seen := r.within(sampleTime, func() bool { return r.foreign() > 0 }); !seen {
		card.SkipCheck(r, what, "the driver names no processes here, as in a container with processes of its own")
		return
	}
	took, ok := r.within(namedIn, func() bool { return r.conditionOf("GPUMemoryTaken") != nil })
	says := r.conditionOf("GPUMemoryTaken")
	if !ok || says == nil {
		card.CheckThat(r, false, what, "GPUMemoryTaken within "+namedIn.String(), r.explain(), seconds(took))
		return
	}
	card.CheckThat(r, strings.Contains(says.Detail, strconv.Itoa(b.pid)) && says.Remedy != "", what,
		"GPUMemoryTaken with process "+strconv.Itoa(b.pid)+" and a remedy",
		cut(fmt.Sprintf("%s; %s", says.Detail, says.Remedy)), seconds(took))
}

// foreign is the memory that programs use which are not the node's, as it sees them.
func (r *rig) foreign() int64 {
	text, err := r.page("/metrics")
	if err != nil {
		return 0
	}
	n, _ := metric(text, "tutti_gpu_memory_foreign_bytes")
	return int64(n)
}

// recovers looks whether all is well when the memory is free again.
func (r *rig) recovers(f *film, spare bool) {
	r.takesNew(spare)
	var from int
	took, ok := r.within(freeIn, func() bool {
		all := f.so()
		from = len(all)
		return from > 0 && all[from-1].err == nil
	})
	card.CheckThat(r, ok, "the stream that ran goes on when the memory is free again", "within "+freeIn.String(),
		fmt.Sprint(f.so().errs()), seconds(took))
	f.answered(from + 2)
	all := f.stop()
	r.whole("the stream that ran, after the memory was returned", all[min(from, len(all)):])
	if !card.Full() {
		card.SkipCheck(r, "GPUMemoryTaken is cleared", "it stays for half a minute, which the short form does not wait for")
		return
	}
	took, ok = r.within(forgottenIn, func() bool { return r.conditionOf("GPUMemoryTaken") == nil && r.ready() })
	card.CheckThat(r, ok, "GPUMemoryTaken is cleared when the memory is free again", "within "+forgottenIn.String(),
		r.explain(), seconds(took))
}

// learnedLine is what the log says when a GPU refused a session for want of memory. The
// node then takes no more sessions than the GPU bore, until its memory is free again.
const learnedLine = "a device has less capacity than estimated"

// takesNew looks whether new streams are taken when the memory is free again.
func (r *rig) takesNew(spare bool) {
	limit := freeIn
	if !spare {
		limit = time.Second
	}
	learned := strings.Contains(r.proc.Log(), learnedLine)
	asked := len(r.proc.Log())
	last, took := r.taken("again", limit)
	const what = "a new stream when the memory is free again"
	if last.err != nil && (!spare || (r.capped() || r.paced(asked)) && !learned) {
		card.SkipCheck(r, what, noSpare)
		return
	}
	card.CheckThat(r, last.err == nil, what, "within "+limit.String(), cut(fmt.Sprint(last.err)+"; "+r.explain()),
		seconds(took))
}
