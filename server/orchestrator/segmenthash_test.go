package orchestrator_test

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// BenchmarkSegmentHash sends paid segments of 1.5 MB, hashed with either algorithm by turns. What it reports is the CPU
// time of both sides, so that other load on the machine matters little.
func BenchmarkSegmentHash(b *testing.B) {
	c := newChainNode(b)
	c.pay.FaceValue = core.NewWei(1e18) // one ticket pays for all of it
	in, body := c.terms(nil), make([]byte, 1_500_000)
	var used [2]time.Duration
	for b.Loop() {
		for _, a := range []signature.Algorithm{signature.Keccak, signature.SHA256} {
			before := ownCPU(b)
			m := meta(in.GetAuthToken(), nil)
			hash := signature.Digest{Algorithm: a, Sum: a.Sum(body)}
			m.Hash, m.SHA256 = hash.Sum, a == signature.SHA256
			m.Sig = c.gateway.sign(b, signature.SegmentOver(hash, m.Manifest, m.Number, signature.ProfileNames(m.Profiles)))
			req := c.post(m, bytes.NewReader(body))
			req.Header.Set("Livepeer-Payment", c.payment(in, 1))
			if res, answer := do(b, c.h2, req); res.StatusCode != http.StatusOK {
				b.Fatalf("%s: %s", res.Status, answer)
			}
			used[a] += ownCPU(b) - before
		}
	}
	for a, name := range map[signature.Algorithm]string{signature.Keccak: "keccak", signature.SHA256: "sha256"} {
		b.ReportMetric(used[a].Seconds()*1000/float64(b.N), name+"-cpu-ms")
	}
	b.ReportMetric(float64(used[signature.SHA256])/float64(used[signature.Keccak]), "ratio")
}

func ownCPU(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// An offer says that segments may be hashed with SHA-256. The signature covers which hash it is: credentials of the one
// kind are none of the other, and the bytes are checked with the hash that was signed.
func TestASegmentMayBeHashedWithSHA256(t *testing.T) {
	t.Parallel()
	c := newChainNode(t)
	in := c.terms(nil)
	if !in.GetSegmentSha256() {
		t.Error("the offer does not say it")
	}
	body := []byte("segment")
	sha, keccak := sha256.Sum256(body), signature.Keccak256(body)
	for name, row := range map[string]struct {
		hash         [signature.HashSize]byte
		signed, says bool // is it SHA-256
		text         fault.Code
	}{
		"SHA-256":                       {sha, true, true, ""},
		"Keccak-256":                    {keccak, false, false, ""},
		"SHA-256, said to be Keccak":    {sha, true, false, fault.ErrSegSig},
		"Keccak, said to be SHA-256":    {keccak, false, true, fault.ErrSegSig},
		"the other bytes, as SHA-256":   {keccak, true, true, fault.SegmentHashMismatch},
		"SHA-256 signed as the network": {sha, false, false, fault.SegmentHashMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := c.segment(c.terms(nil), 3, func(m *rpc.SegmentMeta) {
				m.Hash, m.SHA256 = row.hash, row.says
				hash := signature.Digest{Sum: row.hash}
				if row.signed {
					hash.Algorithm = signature.SHA256
				}
				m.Sig = c.gateway.sign(t, signature.SegmentOver(hash, m.Manifest, m.Number,
					signature.ProfileNames(m.Profiles)))
			})
			res, answer := do(t, c.h1, req)
			if code := fault.Code(res.Header.Get(rpc.CodeHeader)); code != row.text ||
				(res.StatusCode == http.StatusOK) != (row.text == "") {
				t.Errorf("%s %s: %s", res.Status, code, bytes.TrimSpace(answer))
			}
			if row.text == "" && len(result(t, answer).GetData().GetSegments()) == 0 {
				t.Errorf("%q", answer)
			}
		})
	}
}
