package endpoints

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/rpc"
)

// notification is what a subscriber gets.
type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  event  `json:"params"`
}

type event struct {
	Subscription string          `json:"subscription"`
	Result       json.RawMessage `json:"result"`
}

// feed is one subscription of a client.
type feed struct {
	session *session
	id      string
	topic   string
	items   chan json.RawMessage
	heads   chan json.RawMessage
	// held is what is beyond the newest block of an endpoint that lags.
	held []json.RawMessage
}

// subscribe opens a feed. Its events begin when the returned function is called.
func (s *session) subscribe(ctx context.Context, req request) (response, func()) {
	s.faults.count(req.Method)
	f := &feed{session: s, items: make(chan json.RawMessage, 256), heads: make(chan json.RawMessage, 256)}
	if len(req.Params) == 0 || json.Unmarshal(req.Params[0], &f.topic) != nil {
		return reply(req.ID, nil, &failure{Code: codeParams, Message: "a subscription needs a name"}), nil
	}
	args := make([]any, len(req.Params))
	for i := range req.Params {
		args[i] = req.Params[i]
	}
	ctx, cancel := context.WithCancel(ctx)
	sub, err := s.client.EthSubscribe(ctx, f.items, args...)
	if err != nil {
		cancel()
		return reply(req.ID, nil, err), nil
	}
	heads, err := s.client.EthSubscribe(ctx, f.heads, "newHeads")
	if err != nil {
		sub.Unsubscribe()
		cancel()
		return reply(req.ID, nil, err), nil
	}
	f.id = s.register(cancel)
	id, err := json.Marshal(f.id)
	return reply(req.ID, id, err), func() { s.tasks.Go(func() { f.run(ctx, sub, heads) }) }
}

func (s *session) register(cancel context.CancelFunc) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastSub++
	id := fmt.Sprintf("%#x", s.lastSub)
	s.subs[id] = cancel
	return id
}

func (s *session) unsubscribe(req request) response {
	s.faults.count(req.Method)
	var id string
	if len(req.Params) == 0 || json.Unmarshal(req.Params[0], &id) != nil {
		return reply(req.ID, nil, &failure{Code: codeParams, Message: "which subscription?"})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	cancel, ok := s.subs[id]
	if !ok {
		return reply(req.ID, nil, &failure{Code: codeRefused, Message: "subscription not found"})
	}
	cancel()
	delete(s.subs, id)
	return reply(req.ID, json.RawMessage("true"), nil)
}

// run passes events on until the client leaves or unsubscribes.
func (f *feed) run(ctx context.Context, subs ...*rpc.ClientSubscription) {
	for _, sub := range subs {
		defer sub.Unsubscribe()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-subs[0].Err():
			return
		case item := <-f.items:
			f.held = append(f.held, item)
		case <-f.heads:
		}
		f.release()
	}
}

// release sends what the endpoint can have seen.
func (f *feed) release() {
	head := f.session.view(f.session.faults.lag("eth_subscribe"))
	for len(f.held) > 0 && numberOf(f.held[0]) <= head {
		f.send(f.held[0])
		f.held = f.held[1:]
	}
}

func (f *feed) send(item json.RawMessage) {
	if f.topic == "newHeads" {
		if with, err := withL1(item); err == nil {
			item = with
		}
	}
	body, err := json.Marshal(notification{Version: "2.0", Method: "eth_subscription",
		Params: event{Subscription: f.id, Result: item}})
	if err == nil {
		f.session.write(body)
	}
}
