package paymentlog_test

import (
	"math/big"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm/paymentlog"
)

// BenchmarkPayment writes payments one after the other as a sender does: with the credit that it counts on before and
// after, and the result. The CPU time is the process's; what remains of the time is the disk's.
func BenchmarkPayment(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	credit := paymentlog.Credit{Payee: "0x00", Halved: at, Span: at, Unworked: big.NewInt(1e9), Waiting: new(big.Int),
		Worked: [2]*big.Int{big.NewInt(1e18), new(big.Int)}, Left: [2]*big.Int{new(big.Int), new(big.Int)}}
	before, n := ownCPU(b), uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		n++
		s.Keep(credit)
		id := s.pay(b, payment(1, n, n))
		s.Keep(credit)
		s.Settle(id, answered(1))
	}
	b.ReportMetric(float64((ownCPU(b)-before).Microseconds())/float64(b.N), "cpu-µs")
}

func ownCPU(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
