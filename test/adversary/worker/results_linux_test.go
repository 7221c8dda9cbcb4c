package worker

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// answerWith plays a worker that is alive and answers every job with renditions of a
// size, until the node ends it.
func (i *impostor) answerWith(size int) {
	data := make([]byte, size)
	for {
		h, err := i.Next()
		if err != nil {
			return
		}
		body, err := i.Message(h)
		if err != nil {
			return
		}
		switch h.Type {
		case worker.TypePing:
			err = i.Send(worker.TypePong, h.ID, nil)
		case worker.TypeJob:
			err = i.answer(h.ID, body, data)
		}
		if err != nil {
			return
		}
	}
}

func (i *impostor) answer(id uint64, body, data []byte) error {
	job, _, err := worker.DecodeJob(body)
	if err != nil {
		return err
	}
	res := &core.TranscodeResult{DecodedFrames: 30, DecodedPixels: 30 * 426 * 240}
	for range job.Profiles {
		res.Renditions = append(res.Renditions, core.Rendition{Data: data, Frames: 30, Pixels: 30 * 426 * 240})
	}
	return i.Send(worker.TypeResult, id, worker.EncodeResult(res, false), worker.ResultPayloads(res)...)
}

// TestResultsOfATakenOverWorker: whatever a worker answers with, and however many
// answers there are at once, the node's memory stays bounded.
func TestResultsOfATakenOverWorker(t *testing.T) {
	streams, size := 6, 100_000_000
	if adversary.Long() {
		streams, size = 40, 290_000_000
	}
	node, addr := orchestrator(t)
	gw, data := gateway(t, addr), segment(t)
	if _, err := push(gw, "before", data); err != nil {
		t.Fatal(err)
	}
	before := memory(t, node.PID())
	i := takeOver(t, node)
	go i.answerWith(size)
	var all sync.WaitGroup
	for n := range streams {
		all.Go(func() { _, _ = push(gw, fmt.Sprintf("s%d", n), data) })
	}
	node.Wait("a refusal by name", 30*time.Second, func() bool {
		return strings.Contains(node.Log(), "RenditionsTooLarge")
	})
	all.Wait()
	if grown := memory(t, node.PID()) - before; grown > 200_000_000 {
		t.Errorf("the node's memory grew by %d MB for seconds of small video", grown/1_000_000)
	}
}

// TestKeptRenditionsStopNoWork: renditions that the node keeps to be fetched, as many as
// -resultMemory says, are no want of memory for the next ones.
func TestKeptRenditionsStopNoWork(t *testing.T) {
	const size, kept = 8_000_000, 400_000_000
	node, addr := orchestrator(t, "-workerMemory", "1GB", "-resultMemory", "400MB")
	gw, data := gateway(t, addr, "-localVerify=false"), segment(t)
	if _, err := push(gw, "before", data); err != nil {
		t.Fatal(err)
	}
	go takeOver(t, node).answerWith(size)
	for n := range kept / size / 2 {
		// One after another: it is what is kept that fills the memory.
		_, err := harness.Push(gw, fmt.Sprintf("s%d", n/6), fmt.Sprintf("%d.ts", n), data, time.Second)
		if log := node.Log(); err != nil || strings.Contains(log, "TranscoderBusy") {
			t.Fatalf("after %d MB of renditions that were taken: %v", n*2*size/1_000_000, err)
		}
	}
}

// TestTalkOfATakenOverWorker: what the node did not ask for ends the worker by name, and
// the next one serves.
func TestTalkOfATakenOverWorker(t *testing.T) {
	node, addr := orchestrator(t, "-v", "6")
	gw, data := gateway(t, addr), segment(t)
	for what, attack := range map[string]func(*impostor) error{
		"signs of life": func(i *impostor) error { return i.Send(worker.TypePong, 1, nil) },
		"answers": func(i *impostor) error {
			return i.Send(worker.TypeError, 1<<40, worker.EncodeError(errors.New(strings.Repeat("x", 4000))))
		},
		"data": func(i *impostor) error { return i.Send(worker.TypeData, 1<<40, make([]byte, 60_000)) },
		"log":  writeLog(t),
	} {
		died := protocol(node)
		logged := len(node.Log())
		i := takeOver(t, node)
		deadline := time.Now().Add(20 * time.Second)
		for attack(i) == nil && workerOf(t, node.PID()) == i.pid {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the worker goes on", what)
			}
		}
		node.Wait("the worker's end by name over "+what, 20*time.Second, func() bool { return protocol(node) > died })
		if n := len(node.Log()) - logged; n > 1<<20 {
			t.Errorf("%s: %d bytes of log", what, n)
		}
		if _, err := push(gw, "after-"+strings.ReplaceAll(what, " ", "-"), data); err != nil {
			t.Errorf("after %s: %v", what, err)
		}
	}
}

// protocol is how often a worker of the node was ended for what it sent.
func protocol(node *harness.Process) int {
	n := 0
	for line := range strings.Lines(node.Log()) {
		if strings.Contains(line, "a media worker ended") && strings.Contains(line, "WorkerProtocol") {
			n++
		}
	}
	return n
}

// writeLog writes lines as a worker's own words.
func writeLog(t *testing.T) func(*impostor) error {
	text := []byte(strings.Repeat("all is well\n", 5000))
	var file *os.File
	return func(i *impostor) error {
		if file == nil {
			var err error
			if file, err = os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", i.pid), os.O_WRONLY, 0); err != nil {
				return err
			}
			t.Cleanup(func() { file.Close() })
		}
		_, err := file.Write(text)
		return err
	}
}
