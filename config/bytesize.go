package config

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// ByteSize is a number of bytes.
type ByteSize int64

var (
	errByteSize = errors.New("not a size such as 256MB or 1GiB")
	errByteMax  = errors.New("more than 8 EB")
)

// byteSize is the form of a size, compiled at the first use. Read-only.
var byteSize = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{1,18})\s*([kKmMgGtT]?)([iI]?)[bB]?$`)
})

// units in rising order; a position is a power.
const units = "kmgt"

// ParseByteSize reads a whole number with an optional unit: kB, MB, GB and TB
// are powers of 1000, KiB, MiB, GiB and TiB powers of 1024.
func ParseByteSize(s string) (ByteSize, error) {
	m := byteSize().FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[3] != "" {
		return 0, errByteSize
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, errByteSize
	}
	base := int64(1000)
	if m[3] != "" {
		base = 1024
	}
	if m[2] != "" {
		for range strings.Index(units, strings.ToLower(m[2])) + 1 {
			if n > math.MaxInt64/base {
				return 0, errByteMax
			}
			n *= base
		}
	}
	return ByteSize(n), nil
}

// String writes the size exactly, with the largest unit that allows it.
func (b ByteSize) String() string {
	for _, system := range []struct {
		base  int64
		names []string
	}{{1000, []string{"kB", "MB", "GB", "TB"}}, {1024, []string{"KiB", "MiB", "GiB", "TiB"}}} {
		n, unit := int64(b), ""
		for _, name := range system.names {
			if n == 0 || n%system.base != 0 {
				break
			}
			n, unit = n/system.base, name
		}
		if unit != "" {
			return strconv.FormatInt(n, 10) + unit
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// MemoryLimit bounds a process's memory.
type MemoryLimit struct {
	// Auto leaves the bound to the node, which derives it from the work.
	Auto bool
	// Bytes is 0 for no bound.
	Bytes ByteSize
}

// minWorkerMemory is what a media worker needs to start at all.
const minWorkerMemory ByteSize = 64_000_000

// ParseMemoryLimit reads auto, 0 for none, or a size of at least 64MB.
func ParseMemoryLimit(s string) (MemoryLimit, error) {
	if s == "auto" {
		return MemoryLimit{Auto: true}, nil
	}
	n, err := ParseByteSize(s)
	if err != nil {
		return MemoryLimit{}, errors.New("not auto, 0 or a size such as 2GB")
	}
	if n != 0 && n < minWorkerMemory {
		return MemoryLimit{}, errors.New("less than the 64MB that a media worker needs")
	}
	return MemoryLimit{Bytes: n}, nil
}

// String writes the bound as ParseMemoryLimit reads it.
func (m MemoryLimit) String() string {
	if m.Auto {
		return "auto"
	}
	return m.Bytes.String()
}
