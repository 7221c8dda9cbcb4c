package liverunner

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Program is what the node starts for a managed runner.
type Program struct {
	// Command is the program and its arguments, Env what it gets in addition to the node's PATH and HOME:
	// NAME=value.
	Command []string
	Env     []string
	// GPUs is how many it gets, of GPUIDs if there are any, each with so much memory free.
	GPUs        int
	GPUIDs      []string
	MemoryBytes int64
	// Container is where the program runs; nil runs it alongside the node. Command are its arguments then.
	Container *Container
}

const (
	maxWords  = 256
	maxWord   = 4096
	maxGPUs   = 64
	maxMemory = 1 << 30 // in MB
)

var (
	errCommand = errors.New("command must be a list of a program and up to 255 arguments")
	errEnv     = errors.New("env must map names without = to texts")
	errGPUs    = errors.New("gpus must be 0 to 64, gpu_ids as many or more, memory_mb 0 or more")
	errNoShare = errors.New("gpus, gpu_ids, memory_mb and env go with a command or an image")
)

// program reads what a managed runner's entry says besides, nil for a runner that is not managed.
func (r *registration) program() (*Program, error) {
	box, err := r.container()
	if err != nil {
		return nil, err
	}
	if len(r.Command) == 0 && box == nil {
		if len(r.Env)+len(r.GPUs)+len(r.GPUIDs)+len(r.MemoryMB) > 0 {
			return nil, errNoShare
		}
		return nil, nil
	}
	p := &Program{Container: box}
	if (box == nil || len(r.Command) > 0) && (json.Unmarshal(r.Command, &p.Command) != nil || len(p.Command) == 0 ||
		len(p.Command) > maxWords || p.Command[0] == "" || slices.ContainsFunc(p.Command, badWord)) {
		return nil, errCommand
	}
	return p, r.share(p)
}

// share reads what the program gets of the machine and its environment.
func (r *registration) share(p *Program) error {
	env := make(map[string]string)
	if len(r.Env) > 0 && json.Unmarshal(r.Env, &env) != nil || len(env) > maxWords {
		return errEnv
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if name == "" || strings.Contains(name, "=") || badWord(name) || badWord(env[name]) {
			return errEnv
		}
		p.Env = append(p.Env, name+"="+env[name])
	}
	var mb int64
	for _, field := range []struct {
		raw  json.RawMessage
		into any
	}{{r.GPUs, &p.GPUs}, {r.GPUIDs, &p.GPUIDs}, {r.MemoryMB, &mb}} {
		if len(field.raw) > 0 && json.Unmarshal(field.raw, field.into) != nil {
			return errGPUs
		}
	}
	if p.GPUs == 0 && len(p.GPUIDs) > 0 {
		p.GPUs = 1
	}
	if p.GPUs < 0 || p.GPUs > maxGPUs || mb < 0 || mb > maxMemory || p.GPUIDs != nil && len(p.GPUIDs) < p.GPUs {
		return errGPUs
	}
	p.MemoryBytes = mb << 20
	return nil
}

func badWord(s string) bool { return len(s) > maxWord || strings.Contains(s, "\x00") }
