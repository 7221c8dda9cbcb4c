package camera

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// errNoRunner: an orchestrator has no process of its own that does media work.
var errNoRunner = errors.New("it has no media worker")

// KillRunner kills the processes that do an orchestrator's media work: the children of its process.
func KillRunner(orchestrator int) error {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", orchestrator))
	if err != nil {
		return err
	}
	killed := 0
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // that thread has ended
		}
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	if killed == 0 {
		return errNoRunner
	}
	return nil
}
