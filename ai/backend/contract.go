package backend

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// contractSlots is the default number of parallel jobs of the network's own llm runner
// (MAX_NUM_SEQS), which it does not report. Its other pipelines, and runners without
// /version, count as one slot.
const contractSlots = 128

// maxGPUs bounds the accepted devices.
const maxGPUs = 64

// contractDetails asks a runner of the network's contract for its model and its GPUs.
func (s *inspection) contractDetails(ctx context.Context, info *Info) error {
	info.Served = cmp.Or(info.Served, s.options.Model)
	info.Models = []string{info.Served}
	info.Slots, info.Assumed = 1, true
	if s.options.Pipeline == capability.LLM {
		info.Operations = []inference.Operation{inference.Chat}
	}
	a, err := s.optional(ctx, "/version", nil)
	if err != nil {
		return err
	}
	if a != nil {
		if err := s.contractVersion(a, info); err != nil {
			return err
		}
	}
	a, err = s.optional(ctx, "/hardware/info", nil)
	if err == nil && a != nil {
		info.GPUs = readGPUs(a)
	}
	return err
}

func (s *Server) contractVersion(a *probeAnswer, info *Info) error {
	var version struct {
		Pipeline string `json:"pipeline"`
		ModelID  string `json:"model_id"`
		Version  string `json:"version"`
	}
	if !a.decode(&version) {
		return nil
	}
	info.Version = version.Version
	if len(info.Version) > maxName {
		info.Version = ""
	}
	if version.ModelID != "" && version.ModelID != info.Served {
		text := fmt.Sprintf("holds %.200q, not %.200q", version.ModelID, info.Served)
		return s.fault(fault.RunnerModelMissing, opProbe, text, nil)
	}
	if version.Pipeline != "" && s.options.Pipeline == capability.LLM {
		info.Slots = contractSlots
	}
	return nil
}

// readGPUs reads /hardware/info, in the order of the devices' numbers. It returns none if
// the form is wrong.
func readGPUs(a *probeAnswer) []GPU {
	var hardware struct {
		GPUs map[string]struct {
			ID          string  `json:"id"`
			Name        string  `json:"name"`
			MemoryTotal float64 `json:"memory_total"`
			MemoryFree  float64 `json:"memory_free"`
			Major       int     `json:"major"`
			Minor       int     `json:"minor"`
		} `json:"gpu_info"`
	}
	if !a.decode(&hardware) || len(hardware.GPUs) > maxGPUs {
		return nil
	}
	var gpus []GPU
	for _, n := range slices.SortedFunc(maps.Keys(hardware.GPUs), byNumber) {
		g := hardware.GPUs[n]
		gpus = append(gpus, GPU{
			ID: g.ID, Name: g.Name, Major: g.Major, Minor: g.Minor,
			MemoryTotal: memory(g.MemoryTotal), MemoryFree: memory(g.MemoryFree),
		})
	}
	return gpus
}

// memory converts a JSON number to bytes, 0 if it is out of range.
func memory(n float64) int64 {
	if n < 0 || n > 1<<60 {
		return 0
	}
	return int64(n)
}

func byNumber(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	if errX != nil || errY != nil {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(x, y)
}
