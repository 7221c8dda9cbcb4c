package main

import (
	"fmt"
	"strconv"

	"github.com/tuttinode/tutti/core/gpu"
)

// target is a device to be measured.
type target struct {
	// name is "cpu", or the GPU's index, or what the command line has.
	name string
	uuid gpu.UUID
}

const processor = "cpu"

func (t target) gpu() bool { return t.name != processor }

// selection reads the text of -gpu.
func selection(list string) (gpu.Selection, error) {
	s, err := gpu.ParseSelection(list)
	if err != nil {
		return s, fmt.Errorf("-gpu: %w", err)
	}
	return s, nil
}

// targets are what was asked for, by its names alone: nothing where that is all.
func targets(s gpu.Selection) []target {
	if s.None() {
		return []target{{name: processor}}
	}
	var out []target
	for _, id := range s.IDs {
		out = append(out, target{name: strconv.Itoa(id)})
	}
	for _, id := range s.UUIDs {
		out = append(out, target{name: string(id), uuid: id})
	}
	return out
}

// deviceNames are the devices for tables.
func deviceNames(targets []target) []string {
	var out []string
	for _, t := range targets {
		out = append(out, t.name)
	}
	return out
}
