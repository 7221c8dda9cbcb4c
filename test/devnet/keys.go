package devnet

import "github.com/tuttinode/tutti/eth/account"

// KeyCost seals the key files of accounts that exist on a local test chain alone. Under the
// race detector account.Light costs half a second of a core, once to make and once to open a
// key; tests that make keys are not about that. Read-only.
var KeyCost = account.Cost{N: 2, P: 1}
