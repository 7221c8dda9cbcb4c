package batch

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
)

// Keys is what the package needs of the gateway's keys; *apikeys.Guard has it.
type Keys interface {
	Required() bool
	Use(ctx context.Context, token, route, from string) error
	// State is false for a key that only the operator's webhook knows.
	State(token string) (apikeys.State, bool)
	Owner(token string) apikeys.Hash
	// Delegate returns a token for requests of a key without its secret.
	Delegate(key apikeys.Hash, random io.Reader) (token string, end func(), err error)
}

// Options make a Server. Dir and Keys must be set.
type Options struct {
	// Dir is the directory of files and batches. Only this package writes there.
	Dir    string
	Keys   Keys
	Limits Limits
	// MaxPrice is the most that a line may cost, in wei per unit, besides the gateway's other bounds; a
	// nil function and a nil result bound nothing.
	MaxPrice func() *big.Rat
	Log      *slog.Logger
	// Now is the clock, Rand the source of unguessable IDs.
	Now  func() time.Time
	Rand io.Reader
}

// Limits bound what the package keeps and does. Zero fields get defaults.
type Limits struct {
	// Storage bounds all files together, KeyStorage those of one key, File one that is uploaded, in
	// bytes; defaults 10 GB, 1 GB and 200 MB.
	Storage, KeyStorage, File int64
	// Line bounds a line, Answer the body of its answer, in bytes; defaults 32 MiB and 16 MiB.
	Line, Answer int64
	// Lines is how many requests a batch may have; default 50000.
	Lines int
	// KeyFiles and KeyBatches are how many a key may have; defaults 10000 and 1000.
	KeyFiles, KeyBatches int
	// Concurrency is how many lines are in progress at once; default 4.
	Concurrency int
	// Window is the time of a batch, Age that of files and of ended batches; defaults 24 h and 30 days.
	Window, Age time.Duration
	// FirstWait is how long a batch rests after a line that found no capacity; each further one
	// doubles it, up to a minute. Default 1 s.
	FirstWait time.Duration
	// Tick is how often times are checked; default 1 s.
	Tick time.Duration
}

func (l Limits) withDefaults() Limits {
	l.Storage = cmp.Or(l.Storage, 10_000_000_000)
	l.KeyStorage = min(cmp.Or(l.KeyStorage, 1_000_000_000), l.Storage)
	l.File = min(cmp.Or(l.File, 200_000_000), l.KeyStorage)
	l.Line = cmp.Or(l.Line, 32<<20)
	l.Answer = cmp.Or(l.Answer, 16<<20)
	l.Lines = cmp.Or(l.Lines, 50_000)
	l.KeyFiles = cmp.Or(l.KeyFiles, 10_000)
	l.KeyBatches = cmp.Or(l.KeyBatches, 1_000)
	l.Concurrency = cmp.Or(l.Concurrency, 4)
	l.Window = cmp.Or(l.Window, 24*time.Hour)
	l.Age = cmp.Or(l.Age, 30*24*time.Hour)
	l.FirstWait = cmp.Or(l.FirstWait, time.Second)
	l.Tick = cmp.Or(l.Tick, time.Second)
	return l
}

func (o Options) withDefaults() Options {
	o.Limits = o.Limits.withDefaults()
	if o.MaxPrice == nil {
		o.MaxPrice = func() *big.Rat { return nil }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	return o
}
