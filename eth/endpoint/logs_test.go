package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

var emitter = common.HexToAddress("0x35Bcf3c30594191d53231E4FF333E8A770453e40")

func logAt(block uint64, index uint) types.Log {
	return types.Log{Address: emitter, Topics: []common.Hash{{1}}, Data: []byte{}, BlockNumber: block, Index: index,
		BlockHash: common.Hash{byte(block)}}
}

// logServer has one log in every tenth block and refuses ranges beyond most, in
// the words given.
func logServer(most uint64, refusal map[string]any) func([]json.RawMessage) (any, map[string]any) {
	return func(params []json.RawMessage) (any, map[string]any) {
		var q struct{ FromBlock, ToBlock string }
		_ = json.Unmarshal(params[0], &q)
		var from, to uint64
		_, _ = fmt.Sscanf(q.FromBlock, "0x%x", &from)
		_, _ = fmt.Sscanf(q.ToBlock, "0x%x", &to)
		if to-from+1 > most {
			return nil, refusal
		}
		logs := []types.Log{}
		for n := from; n <= to; n++ {
			if n%10 == 0 {
				logs = append(logs, logAt(n, 1), logAt(n, 0))
			}
		}
		return logs, nil
	}
}

// Refusals as providers word them.
var tooMuchWords = []map[string]any{
	{"code": -32005, "message": "query returned more than 10000 results"},
	{"code": -32602, "message": "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block " +
		"range"},
	{"code": -32000, "message": "block range is too wide"},
	{"code": -32600, "message": "eth_getLogs is limited to a 10,000 range"},
	{"code": -32001, "message": "ranges over 500 blocks are not supported on freetier"},
	{"code": -32603, "message": "something new that nobody has seen"},
}

func TestLogRanges(t *testing.T) {
	t.Parallel()
	for _, words := range tooMuchWords {
		t.Run(fmt.Sprint(words["message"]), func(t *testing.T) {
			t.Parallel()
			n := newFakeNode(t)
			n.head = 20_000
			n.answers["eth_getLogs"] = logServer(100, words)
			p := poolOf(t, nil, n)
			logs, next, err := p.Logs(t.Context(), 1, 5000, LogFilter{Addresses: []common.Address{emitter},
				Topics: [][]common.Hash{{{1}, {2}}}})
			if err != nil || next != 5001 || len(logs) != 1000 {
				t.Fatalf("%d logs up to %d, %v", len(logs), next, err)
			}
			for i, l := range logs {
				if l.BlockNumber != uint64(i/2+1)*10 || l.Index != uint(i%2) {
					t.Fatalf("log %d is %d of block %d", i, l.Index, l.BlockNumber)
				}
			}
			if span := p.Status().Endpoints[0].LogSpan; span > 200 || span < 62 {
				t.Errorf("it learned %d", span)
			}
			before := n.count("eth_getLogs")
			if _, _, err := p.Logs(t.Context(), 5001, 6000, LogFilter{}); err != nil {
				t.Fatal(err)
			}
			if extra := n.count("eth_getLogs") - before; extra > 18 {
				t.Errorf("%d requests for what it knows to take about 16", extra)
			}
		})
	}
}

func TestLogsAreNeverPartialInSilence(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.head = 20_000
	good := logServer(1000, nil)
	n.answers["eth_getLogs"] = func(params []json.RawMessage) (any, map[string]any) {
		var q struct{ FromBlock string }
		_ = json.Unmarshal(params[0], &q)
		if q.FromBlock >= "0xbb9" && len(q.FromBlock) == 5 { // from block 3001 on
			return nil, map[string]any{"code": -32005, "message": "too many requests"}
		}
		return good(params)
	}
	p := poolOf(t, nil, n)
	logs, next, err := p.Logs(t.Context(), 1, 5000, LogFilter{})
	if !errors.Is(err, fault.RPCRateLimited) || next != 3001 || len(logs) != 600 {
		t.Errorf("%d logs up to %d, %v", len(logs), next, err)
	}
}

func TestLogsRefusedForOneBlock(t *testing.T) {
	t.Parallel()
	n, other := newFakeNode(t), newFakeNode(t)
	n.answers["eth_getLogs"] = says(-32000, "not on your plan")
	other.answers["eth_getLogs"] = says(-32000, "not on your plan")
	p := poolOf(t, nil, n, other)
	if _, next, err := p.Logs(t.Context(), 1, 500, LogFilter{}); !errors.Is(err, fault.RPCLogsRefused) || next != 1 {
		t.Fatalf("up to %d, %v", next, err)
	}
	other.set(func() { other.answers["eth_getLogs"] = logServer(1000, nil) })
	if logs, _, err := p.Logs(t.Context(), 1, 500, LogFilter{}); err != nil || len(logs) != 100 {
		t.Errorf("%d logs, %v", len(logs), err)
	}
}

func TestLogsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	n.head = 20_000
	n.answers["eth_getLogs"] = logServer(250, map[string]any{"code": -1, "message": "hang"})
	n.whole = func(w http.ResponseWriter, r *http.Request) bool {
		body := readBody(r)
		answer := n.respond(body)
		if string(answer) != "" && json.Valid(answer) && containsHang(answer) {
			<-r.Context().Done()
			return true
		}
		_, _ = w.Write(answer)
		return true
	}
	p := poolOf(t, func(o *Options) { o.CallTimeout = 300 * time.Millisecond }, n)
	logs, next, err := p.Logs(t.Context(), 1, 500, LogFilter{})
	for tries := 0; err != nil && tries < 5; tries++ {
		// The caller goes on from where it got, as a watcher does.
		p.remotes[0].mu.Lock()
		p.remotes[0].logBreaker = breaker{}
		p.remotes[0].mu.Unlock()
		var more []types.Log
		more, next, err = p.Logs(t.Context(), next, 500, LogFilter{})
		logs = append(logs, more...)
	}
	if err != nil || next != 501 || len(logs) != 100 {
		t.Errorf("%d logs up to %d, %v", len(logs), next, err)
	}
}

func TestLogsThatWereNotAskedFor(t *testing.T) {
	t.Parallel()
	removed := logAt(5, 0)
	removed.Removed = true
	for name, l := range map[string]types.Log{"another block": logAt(11, 0), "removed": removed,
		"another contract": {Topics: []common.Hash{}, Data: []byte{}, BlockNumber: 5}} {
		raw, _ := json.Marshal([]types.Log{l})
		if _, f := parseLogs(raw, 1, 10, LogFilter{Addresses: []common.Address{emitter}}, ""); f == nil {
			t.Errorf("%s passed", name)
		}
	}
}

func FuzzLogs(f *testing.F) {
	raw, _ := json.Marshal([]types.Log{logAt(5, 0), logAt(4, 1)})
	for _, seed := range []string{string(raw), "null", "[]", "[null]", `[{"blockNumber":"0x5"}]`, `{"a":1}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		logs, failed := parseLogs(raw, 1, 10, LogFilter{}, "x")
		for i, l := range logs {
			if failed != nil || l.BlockNumber < 1 || l.BlockNumber > 10 || i > 0 && l.BlockNumber < logs[i-1].BlockNumber {
				t.Fatalf("%v, %v", logs, failed)
			}
		}
	})
}

func FuzzHeader(f *testing.F) {
	var n fakeNode
	raw, _ := json.Marshal(n.block(77))
	for _, seed := range []string{string(raw), "null", "{}", `{"number":"0x1"}`,
		`{"number":"0x1","hash":"0x","parentHash":"","timestamp":"0x1"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		head, ok := parseHeader(raw, 54321)
		if onArbitrum, has := parseHeader(raw, arbitrumOne); has && (!ok || onArbitrum.L1 != head.L1) {
			t.Fatalf("%+v on one chain, %+v on the other", onArbitrum, head)
		}
		if ok && (head.Hash.IsZero() || head.BaseFee.Big().Sign() < 0) || !ok && head != (protocol.Head{}) {
			t.Fatalf("%+v, %v", head, ok)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"id":1,"result":null}`, `[{"id":2,"result":"0x"},{"id":1,"error":{"code":3}}]`,
		`{"error":{}}`, "[]", "<html>", "", "[null,null]"} {
		f.Add([]byte(seed), 2)
		f.Add([]byte(seed), 1)
	}
	f.Fuzz(func(t *testing.T, raw []byte, count int) {
		if count < 1 || count > 4 {
			t.Skip()
		}
		out, failed := decode(raw, count, 1, "x")
		if failed == nil && len(out) != count && (len(out) != 1 || out[0].err == nil) {
			t.Fatalf("%d answers to %d requests", len(out), count)
		}
		_, _, _ = messageID(raw)
	})
}

// One endpoint that gives its logs late, or never, does not keep those of the others
// from being looked at, nor from being all that there is.
func TestLogsFromEachWaitsForNoSingleEndpoint(t *testing.T) {
	t.Parallel()
	log := map[string]any{"address": common.Address{1}, "topics": []common.Hash{{2}}, "data": "0x",
		"blockNumber": "0x5", "transactionHash": common.Hash{3},
		"transactionIndex": "0x0", "blockHash": fakeHash(5, 0), "logIndex": "0x0", "removed": false}
	slow, one, two := newFakeNode(t), newFakeNode(t), newFakeNode(t)
	slow.answers["eth_getLogs"] = later(t, time.Hour, []any{})
	one.answers["eth_getLogs"], two.answers["eth_getLogs"] = gives([]any{log}), gives([]any{})
	p := poolOf(t, func(o *Options) { o.CallTimeout = time.Minute }, slow, one, two)
	for _, wanted := range []bool{true, false} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		looks := 0
		err := p.LogsFromEach(ctx, 1, 10, LogFilter{}, func(logs []types.Log) (bool, error) {
			looks++
			return wanted && len(logs) == 1, nil
		})
		cancel()
		if err != nil || !wanted && looks != 2 {
			t.Errorf("%v, %d endpoints were looked at", err, looks)
		}
	}
}
