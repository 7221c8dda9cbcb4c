package worker

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// tick is the unit of CPU times in /proc.
	tick = time.Second / 100
	// maxDepth bounds the generations of child processes that are counted.
	maxDepth = 4
)

// OtherLoad returns the CPU time that processes other than this one and its children have used
// since the machine started; 0 if it cannot be read.
func OtherLoad() time.Duration {
	own := processTime(os.Getpid(), 0)
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return max(0, machineTime(string(b))-own)
}

// machineTime returns the CPU time of all processes, from the text of /proc/stat.
func machineTime(stat string) time.Duration {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0
	}
	var sum int64
	for i, field := range fields[1:9] {
		const idle, iowait = 3, 4
		if n, err := strconv.ParseInt(field, 10, 64); err == nil && i != idle && i != iowait {
			sum += n
		}
	}
	return time.Duration(sum) * tick
}

// processTime returns the CPU time of a process, of its children that have ended, and of those
// that run.
func processTime(pid, depth int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil || depth > maxDepth {
		return 0
	}
	sum := statTime(b)
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(text)) {
			if id, err := strconv.Atoi(child); err == nil {
				sum += processTime(id, depth+1)
			}
		}
	}
	return sum
}

// statTime returns the CPU time of a process and of its ended children, from the text of its stat.
func statTime(stat []byte) time.Duration {
	// The fields follow the name, which is in parentheses and may hold any byte.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const user, childrenSystem = 11, 14
	if len(fields) <= childrenSystem {
		return 0
	}
	var sum int64
	for _, field := range fields[user : childrenSystem+1] {
		n, _ := strconv.ParseInt(string(field), 10, 64)
		sum += n
	}
	return time.Duration(sum) * tick
}
