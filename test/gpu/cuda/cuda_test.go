package cuda_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/gpu/cuda"
)

// childArg makes the test program ask the driver: the loader reads LD_LIBRARY_PATH
// only when a process starts.
const childArg = "ask-the-driver"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		os.Stdout.WriteString(ask())
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == decodersArg {
		if err := listDecoders(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// ask takes a quarter of what is free, twice, and says in MiB how much was free.
func ask() string {
	n, err := cuda.Count()
	if err != nil {
		return err.Error()
	}
	said := []string{strconv.Itoa(n)}
	d, err := cuda.Open(0)
	if err != nil {
		return said[0] + " " + err.Error()
	}
	defer d.Close()
	if all, err := cuda.UUIDs(); err != nil || len(all) != n || all[0] != d.UUID() {
		return fmt.Sprint("UUIDs: ", all, err)
	}
	said = append(said, d.UUID())
	free := func() int64 {
		free, _, err := d.Free()
		if err != nil {
			said = append(said, err.Error())
		}
		said = append(said, strconv.FormatInt(free>>20, 10))
		return free
	}
	release, err := d.Take(min(free()/4, 256<<20))
	if err != nil {
		return err.Error()
	}
	free()
	release()
	release()
	free()
	// Of a real GPU never more is requested than is free.
	if os.Getenv(card.EnvDriver) != "real" {
		if _, err := d.Take(1 << 50); !cuda.Is(err, cuda.OutOfMemory) {
			said = append(said, fmt.Sprint("more than there is: ", err))
		}
	}
	d.Close()
	if _, _, err := d.Free(); err == nil {
		said = append(said, "works after Close")
	}
	return strings.Join(said, " ")
}

func answer(t *testing.T, env ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], childArg)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Error(err)
	}
	return string(out)
}

// TestCardMemoryIsTaken runs on a GPU, too.
func TestCardMemoryIsTaken(t *testing.T) {
	said := strings.Fields(answer(t, card.Open(t).Env()...))
	if len(said) != 5 {
		card.CheckThat(t, false, "asking the driver", "number of devices, UUID, three figures of free memory",
			strings.Join(said, " "), "")
		return
	}
	number := func(i int) int {
		n, err := strconv.Atoi(said[i])
		if err != nil {
			t.Error(err)
		}
		return n
	}
	uuid := strings.HasPrefix(said[1], "GPU-") && len(said[1]) == 40
	card.CheckThat(t, number(0) >= 1 && uuid, "devices that CUDA shows", "at least one, with a UUID", said[0]+", "+said[1],
		said[0]+" devices")
	before, with, after := number(2), number(3), number(4)
	least := min(before/4, 256) * 3 / 4
	seen := fmt.Sprintf("%d MiB free, %d with a part taken, %d after it was returned", before, with, after)
	card.CheckThat(t, before-with >= least, "memory taken", fmt.Sprintf("at least %d MiB less are free", least), seen,
		fmt.Sprintf("%d MiB", before-with))
	card.CheckThat(t, after-with >= least, "memory returned", fmt.Sprintf("at least %d MiB more are free", least), seen,
		fmt.Sprintf("%d MiB", after-with))
}

func TestErrorsHaveTheirNumbers(t *testing.T) {
	d := fakegpu.Build(t)
	said := answer(t, append(d.Env(), "CUDA_VISIBLE_DEVICES=GPU-none")...)
	if said != "0 cuInit: CUDA error 100 (CUDA_ERROR_NO_DEVICE)" {
		t.Error(said)
	}
	d.Script("cuda.init=803")
	if said := answer(t, d.Env()...); said != "cuInit: CUDA error 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)" {
		t.Error(said)
	}
	d.Script("device.uuid=GPU-01234567-89ab-cdef-0123-456789abcdef")
	if said := answer(t, d.Env()...); !strings.Contains(said, " GPU-01234567-89ab-cdef-0123-456789abcdef ") {
		t.Error(said)
	}
	d.Remove(t, "libcuda.so.1")
	if said := answer(t, d.Env()...); !strings.Contains(said, "libcuda.so.1") {
		t.Error(said)
	}
}
