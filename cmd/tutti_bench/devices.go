package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/tuttinode/tutti/core/gpu"
)

// target is a device to be measured.
type target struct {
	// name is "cpu", or the GPU as the command line has it.
	name string
	uuid gpu.UUID
}

const processor = "cpu"

func (t target) gpu() bool { return t.name != processor }

// devices reads the text of -gpu. Nothing is asked of a driver: a card that is not
// there shows when its worker starts.
func devices(list string) ([]target, error) {
	s, err := gpu.ParseSelection(list)
	switch {
	case err != nil:
		return nil, fmt.Errorf("-gpu: %w", err)
	case s.All:
		return nil, errors.New("-gpu all: name the devices by their numbers, as nvidia-smi shows them")
	case s.None():
		return []target{{name: processor}}, nil
	}
	var out []target
	for _, id := range s.IDs {
		out = append(out, target{name: strconv.Itoa(id)})
	}
	for _, id := range s.UUIDs {
		out = append(out, target{name: string(id), uuid: id})
	}
	return out, nil
}

// deviceNames are the devices for tables.
func deviceNames(targets []target) []string {
	var out []string
	for _, t := range targets {
		out = append(out, t.name)
	}
	return out
}
