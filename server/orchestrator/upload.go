package orchestrator

import (
	"errors"
	"io"
	"math"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/core/signature"
)

const (
	// firstSize is the buffer before the first byte has arrived, whatever length was
	// announced.
	firstSize = 64 << 10
	// growth multiplies the received bytes for the size of the next buffer.
	growth = 4
)

var errTooLarge = errors.New("the body is larger than the limit")

// upload is a segment in memory, hashed as it arrives, or another body without a hash. release
// must be called when its bytes are no longer needed.
type upload struct {
	data []byte
	// hash is nil for a body that is not hashed.
	hash   *signature.BackgroundHash
	digest [signature.HashSize]byte
	budget *budget
	claim  claim
	// most is the size beyond which it is refused.
	most int64
	// long are values of a JSON body that are in a file, nil without.
	long *pipeline.LongValues
	// disk bounds what is in files, stored is this body's claim; nil and nothing without a file.
	disk   *budget
	stored claim
}

// receive reads a whole segment and hashes it with a. size is the announced length, negative if unknown;
// progress is called with the received bytes; c is the claim for its memory. The error is UploadsFull or
// SegmentUnreadable.
func receive(body io.Reader, size int64, a signature.Algorithm, b *budget, c claim,
	progress func(received int)) (*upload, error) {
	u := &upload{hash: signature.StartBackgroundHash(a), budget: b, claim: c, most: core.MaxSegmentBytes}
	if err := u.receive(body, size, progress); err != nil {
		return nil, err
	}
	return u, nil
}

func (u *upload) receive(body io.Reader, size int64, progress func(received int)) error {
	err := u.read(body, size, progress)
	u.digest = u.hash.Sum()
	if err == nil {
		return nil
	}
	u.release()
	if fault.CodeOf(err) == fault.UploadsFull {
		return err
	}
	return fault.Wrap(fault.SegmentUnreadable, "read segment", err)
}

func (u *upload) read(body io.Reader, size int64, progress func(int)) error {
	if size > u.most {
		return errTooLarge
	}
	start := min(firstSize, u.most)
	if size >= 0 {
		start = min(size, firstSize)
	}
	if err := u.grow(start); err != nil {
		return err
	}
	for {
		if len(u.data) == cap(u.data) {
			done, err := u.full(body, size)
			if done || err != nil {
				return err
			}
		}
		n, err := body.Read(u.data[len(u.data):cap(u.data)])
		u.add(n)
		progress(len(u.data))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// full checks whether the body continues beyond a full buffer, and grows the buffer if it does.
// It reads one byte, so that a buffer of exactly the right size is not grown.
func (u *upload) full(body io.Reader, size int64) (done bool, err error) {
	var probe [1]byte
	n := 0
	for n == 0 {
		if n, err = body.Read(probe[:]); err == io.EOF && n == 0 {
			return true, nil
		}
		if err != nil && err != io.EOF {
			return false, err
		}
	}
	if int64(len(u.data)) >= u.most {
		return false, errTooLarge
	}
	next := max(growth*int64(cap(u.data)), firstSize)
	if size > int64(len(u.data)) && size <= next+next/growth {
		next = size
	}
	if err := u.grow(min(next, u.most)); err != nil {
		return false, err
	}
	u.data = u.data[:len(u.data)+1]
	u.data[len(u.data)-1] = probe[0]
	u.hashBytes(u.data[len(u.data)-1:])
	return false, nil
}

// add counts n bytes that were read into the buffer.
func (u *upload) add(n int) {
	from := len(u.data)
	u.data = u.data[:from+n]
	u.hashBytes(u.data[from:])
}

// hashBytes adds received bytes to the hash.
func (u *upload) hashBytes(b []byte) {
	if u.hash != nil {
		u.hash.Add(b)
	}
}

// grow makes the buffer size bytes large. Old and new buffer both count while both exist.
func (u *upload) grow(size int64) error {
	before := u.claim.bytes
	if !u.budget.take(size, &u.claim) {
		return fault.New(fault.UploadsFull, "receive segment", "")
	}
	data := make([]byte, len(u.data), size)
	copy(data, u.data)
	u.budget.release(before, &u.claim)
	u.data = data
	return nil
}

// reserve takes n bytes for the result of this body, and reports whether they fit. They are
// released with the upload.
func (u *upload) reserve(n int64) bool { return u.budget.take(n, &u.claim) }

// values returns the values in the file, nil without.
func (u *upload) values() inference.LongValues {
	if u.long.Spooled() == 0 {
		return nil
	}
	return u.long
}

// paid records that the request was paid, and its body is the announced one.
func (u *upload) paid() {
	u.budget.paid(&u.claim)
	if u.disk != nil {
		u.disk.paid(&u.stored)
	}
}

// resultClaim returns a claim of the same peer for paid work.
func (u *upload) resultClaim() claim { return claim{peer: u.claim.peer, covered: math.MaxInt64} }

// sum returns the hash of the bytes.
func (u *upload) sum() []byte { return u.digest[:] }

func (u *upload) release() {
	u.long.Close()
	if u.disk != nil {
		u.disk.release(u.stored.bytes, &u.stored)
	}
	u.budget.release(u.claim.bytes, &u.claim)
	u.data = nil
}
