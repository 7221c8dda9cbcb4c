package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/nvml"
)

// watchDriver is the hidden command that asks the GPUs' driver, as in the node.
const watchDriver = gpus.Command

func gpuWatchCommand(ctx context.Context, stdout, stderr io.Writer) int {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	if err := nvml.Watch(ctx, stdout, ticker.C); err != nil {
		fmt.Fprintln(stderr, err)
		return exitFailed
	}
	return exitOK
}

// patience is how long the driver may take to say which GPUs there are.
const patience = 30 * time.Second

// withGPUs finds the GPUs that were asked for and watches them until stop. Where the
// driver reports nothing, those that were named are tried all the same.
func withGPUs(ctx context.Context, s settings, stderr io.Writer) (_ settings, stop func(), err error) {
	if s.selection.None() {
		return s, func() {}, nil
	}
	w := gpus.New(gpus.Options{Selection: s.selection})
	run, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := w.Run(run, func() {}); err != nil {
			fmt.Fprintln(stderr, "what the GPUs do is not known:", err)
		}
	})
	stop = func() {
		cancel()
		wg.Wait()
	}
	limited, done := context.WithTimeout(ctx, patience)
	defer done()
	w.Await(limited)
	s.inventory = w
	s.devices, err = found(s.selection, w.Devices(), w.Err())
	if err != nil {
		stop()
		return s, func() {}, err
	}
	return s, stop, nil
}

// found returns the devices to be measured.
func found(s device.Selection, have []device.GPU, why *fault.Fault) ([]target, error) {
	if len(have) == 0 && s.All {
		if why == nil {
			return nil, errors.New("-gpu all: the driver does not say which GPUs there are")
		}
		return nil, fmt.Errorf("-gpu all: %w", why)
	}
	if len(have) == 0 {
		return targets(s), nil
	}
	if why != nil {
		return nil, fmt.Errorf("-gpu %s: %w", s, why)
	}
	var out []target
	for _, d := range have {
		out = append(out, target{name: strconv.Itoa(d.Index), uuid: d.UUID})
	}
	return out, nil
}
