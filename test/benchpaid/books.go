package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os/exec"
	"path/filepath"
	"strings"
)

// verify has the orchestrator's books worked out again.
func (n *node) verify(ctx context.Context) error {
	if text, err := n.ledger(ctx, "verify"); err != nil {
		return fmt.Errorf("tutti ledger verify: %w: %s", err, text)
	}
	return nil
}

// credited is what the books say was credited to a sender, in how many tickets.
func (n *node) credited(ctx context.Context, sender string) (*big.Rat, int, error) {
	text, err := n.ledger(ctx, "export", "-format", "json")
	if err != nil {
		return nil, 0, fmt.Errorf("tutti ledger export: %w", err)
	}
	sum, tickets := new(big.Rat), 0
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var entry struct{ Kind, Sender, Amount, Nonces string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			return nil, 0, err
		}
		if entry.Kind != "credit" || !strings.EqualFold(entry.Sender, sender) {
			continue
		}
		amount, ok := new(big.Rat).SetString(entry.Amount)
		if !ok {
			return nil, 0, fmt.Errorf("amount %q", entry.Amount)
		}
		sum.Add(sum, amount)
		tickets += len(strings.Fields(entry.Nonces))
	}
	return sum, tickets, lines.Err()
}

// ledger runs `tutti ledger` on the node's data directory.
func (n *node) ledger(ctx context.Context, words ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(n.bin, "tutti"),
		append(append([]string{"ledger"}, words...), "-dataDir", n.dir)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s%s", err, out, stderr.String())
	}
	return out, err
}
