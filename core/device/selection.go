package device

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Selection says which GPUs were asked for. The zero value is none: the CPU.
type Selection struct {
	// All takes every device that the driver shows.
	All bool
	// IDs are indices (see Device.Index) and UUIDs whole UUIDs or beginnings that fit
	// one device only, each in the order given and each once.
	IDs   []int
	UUIDs []UUID
}

// maxIndex is far above what a machine can have.
const maxIndex = 1023

func uuidForm() *regexp.Regexp { return regexp.MustCompile(`^GPU-[0-9a-f][0-9a-f-]{0,35}$`) }

var (
	errSelection = errors.New("not a list of device numbers or UUIDs, or the word all")
	errTwice     = errors.New("is named twice")
)

// ParseSelection reads "all", or indices and UUIDs ("GPU-8932f937-…", as
// `nvidia-smi -L` shows them) separated by commas. The empty text means none.
func ParseSelection(s string) (Selection, error) {
	switch s {
	case "":
		return Selection{}, nil
	case "all":
		return Selection{All: true}, nil
	}
	var out Selection
	for part := range strings.SplitSeq(s, ",") {
		if err := out.add(strings.TrimSpace(part)); err != nil {
			return Selection{}, err
		}
	}
	return out, nil
}

func (s *Selection) add(part string) error {
	switch lower := strings.ToLower(part); {
	case lower == "all":
		return errors.New("all is every device already: name it alone")
	case strings.HasPrefix(lower, "mig-"):
		return errors.New("a part of a GPU (MIG) cannot transcode: name a whole GPU that is not divided")
	case strings.HasPrefix(lower, "gpu-"):
		id := UUID("GPU-" + lower[len("gpu-"):])
		if !uuidForm().MatchString(string(id)) {
			return errSelection
		}
		if slices.Contains(s.UUIDs, id) {
			return fmt.Errorf("device %s %w", id, errTwice)
		}
		s.UUIDs = append(s.UUIDs, id)
		return nil
	}
	n, err := strconv.Atoi(part)
	if err != nil || n < 0 || n > maxIndex {
		return errSelection
	}
	if slices.Contains(s.IDs, n) {
		return fmt.Errorf("device %d %w", n, errTwice)
	}
	s.IDs = append(s.IDs, n)
	return nil
}

// None reports whether no GPU was asked for.
func (s Selection) None() bool { return !s.All && len(s.IDs)+len(s.UUIDs) == 0 }

// String writes the selection as ParseSelection reads it, indices first.
func (s Selection) String() string {
	if s.All {
		return "all"
	}
	var parts []string
	for _, id := range s.IDs {
		parts = append(parts, strconv.Itoa(id))
	}
	for _, id := range s.UUIDs {
		parts = append(parts, string(id))
	}
	return strings.Join(parts, ",")
}

// GPUChoice is what a selection comes to on a machine.
type GPUChoice struct {
	// Devices are those that were asked for and are there, in order of Index.
	Devices []GPU
	// Unknown are what was asked for and is not there, as the operator wrote it;
	// Ambiguous the beginnings of UUIDs that fit several devices.
	Unknown, Ambiguous []string
}

// Choose picks from the devices of a machine.
func (s Selection) Choose(have []GPU) GPUChoice {
	var c GPUChoice
	wanted := make(map[UUID]bool)
	for _, id := range s.IDs {
		i := slices.IndexFunc(have, func(d GPU) bool { return d.Index == id })
		if i < 0 {
			c.Unknown = append(c.Unknown, strconv.Itoa(id))
			continue
		}
		wanted[have[i].UUID] = true
	}
	for _, id := range s.UUIDs {
		switch fit := fits(id, have); len(fit) {
		case 0:
			c.Unknown = append(c.Unknown, string(id))
		case 1:
			wanted[fit[0]] = true
		default:
			c.Ambiguous = append(c.Ambiguous, string(id))
		}
	}
	for _, d := range have {
		if s.All || wanted[d.UUID] {
			c.Devices = append(c.Devices, d)
		}
	}
	slices.SortStableFunc(c.Devices, func(a, b GPU) int { return a.Index - b.Index })
	return c
}

// fits lists the devices whose UUID begins so. A whole UUID fits itself alone.
func fits(id UUID, have []GPU) (out []UUID) {
	for _, d := range have {
		known := UUID(strings.Replace(strings.ToLower(string(d.UUID)), "gpu-", "GPU-", 1))
		if known == id {
			return []UUID{d.UUID}
		}
		if strings.HasPrefix(string(known), string(id)) {
			out = append(out, d.UUID)
		}
	}
	return out
}

// ID returns what the node calls the device where one is named: its index.
func (d GPU) ID() string { return strconv.Itoa(d.Index) }
