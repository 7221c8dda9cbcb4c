package account_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/account"
)

var (
	pass = core.NewSecret("open sesame")
	day  = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
)

// one is the private key 1, whose address is public.
const (
	one        = "0000000000000000000000000000000000000000000000000000000000000001"
	oneAddress = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
)

// cheap seals keys where the cost is not what is tested: Light takes half a second of a core
// under the race detector.
var cheap = account.Cost{N: 2, P: 1}

func store(t *testing.T) *account.Keystore {
	t.Helper()
	return account.Open(filepath.Join(t.TempDir(), "keystore"), cheap)
}

func create(t *testing.T, k *account.Keystore) account.Entry {
	t.Helper()
	e, err := k.Create(pass, rand.Reader, day)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func code(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestCreateAndOpen(t *testing.T) {
	t.Parallel()
	k := store(t)
	if list, err := k.List(); err != nil || len(list) != 0 {
		t.Fatalf("an empty keystore has %v, %v", list, err)
	}
	e := create(t, k)
	name := filepath.Base(e.Path)
	if !strings.HasPrefix(name, "UTC--2026-11-21T09-30-00.000000000Z--") ||
		!strings.HasSuffix(name, strings.ToLower(e.Address.String()[2:])) {
		t.Errorf("the file is named %s", name)
	}
	for path, mode := range map[string]os.FileMode{e.Path: 0o600, k.Path(): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	got, err := k.Choose(core.Address{})
	if err != nil || got != e {
		t.Fatalf("chose %v, %v", got, err)
	}
	s, err := k.Unlock(got, pass)
	if err != nil || s.Address() != e.Address {
		t.Fatalf("opened %v, %v", s, err)
	}
	_, err = k.Unlock(got, core.NewSecret("wrong"))
	code(t, err, fault.AccountPassword)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	k := store(t)
	_, err := k.Choose(core.Address{})
	code(t, err, fault.AccountMissing)
	a, b := create(t, k), create(t, k)
	_, err = k.Choose(core.Address{})
	code(t, err, fault.AccountAmbiguous)
	if !strings.Contains(err.Error(), a.Address.String()) || !strings.Contains(err.Error(), b.Address.String()) {
		t.Errorf("the message names no choice: %v", err)
	}
	if got, err := k.Choose(b.Address); err != nil || got != b {
		t.Errorf("chose %v, %v", got, err)
	}
	_, err = k.Choose(core.Address{7})
	code(t, err, fault.AccountUnknown)
	// A single file is a keystore of one key.
	if got, err := account.Open(a.Path, cheap).Choose(core.Address{}); err != nil || got != a {
		t.Errorf("chose %v, %v", got, err)
	}
}

func TestImport(t *testing.T) {
	t.Parallel()
	k := store(t)
	e, err := k.ImportKey(core.NewSecret("0x"+one+"\n"), pass, rand.Reader, day)
	if err != nil || e.Address.String() != oneAddress {
		t.Fatalf("%v, %v", e, err)
	}
	_, err = k.ImportKey(core.NewSecret(one), pass, rand.Reader, day)
	code(t, err, fault.AccountExists)
	for _, bad := range []string{"", "xyz", one + "00", strings.Repeat("0", 64), strings.Repeat("f", 64)} {
		_, err := k.ImportKey(core.NewSecret(bad), pass, rand.Reader, day)
		code(t, err, fault.AccountFileInvalid)
		if bad != "" && strings.Contains(fmt.Sprint(err), bad) {
			t.Errorf("the message quotes the key: %v", err)
		}
	}
	_, err = k.ImportKey(core.NewSecret(strings.Repeat("0", 63)+"2"), core.Secret{}, rand.Reader, day)
	code(t, err, fault.AccountPasswordMissing)

	other := store(t)
	moved, err := other.ImportFile(e.Path, pass, day, rand.Reader)
	if err != nil || moved.Address != e.Address {
		t.Errorf("%v, %v", moved, err)
	}
	_, err = store(t).ImportFile(e.Path, core.NewSecret("wrong"), day, rand.Reader)
	code(t, err, fault.AccountPassword)
}

func TestFilesOfOthers(t *testing.T) {
	t.Parallel()
	k := store(t)
	e := create(t, k)
	for name, content := range map[string]string{
		"notes.txt": "hello", ".hidden": "{}", "half.json": `{"address":"`, "empty": "", "old~": "{}",
		"address-only": `{"address":"7e5f4552091a69125d5dfcb7b8c2659029395bdf"}`,
	} {
		if err := os.WriteFile(filepath.Join(k.Path(), name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := k.List(); err != nil || len(list) != 1 || list[0] != e {
		t.Errorf("listed %v, %v", list, err)
	}
	damaged := filepath.Join(k.Path(), "UTC--2026-11-21T09-30-00.000000000Z--7e5f4552091a69125d5dfcb7b8c2659029395bdf")
	if err := os.WriteFile(damaged, []byte(`{"address":"7e5f`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := k.List()
	code(t, err, fault.AccountFileInvalid)
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	_, err = account.Open(filepath.Join(k.Path(), "notes.txt"), cheap).Choose(core.Address{})
	code(t, err, fault.AccountFileInvalid)
	if err := os.Chmod(e.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	_, err = k.Unlock(e, pass)
	code(t, err, fault.AccountFileOpen)
}

func signer(t *testing.T) *account.Signer {
	t.Helper()
	k := store(t)
	e, err := k.ImportKey(core.NewSecret(one), pass, rand.Reader, day)
	if err != nil {
		t.Fatal(err)
	}
	s, err := k.Unlock(e, pass)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSignsOnlyWhatIsPermitted(t *testing.T) {
	t.Parallel()
	s := signer(t)
	to := core.Address{5}
	call := account.Call{To: to, Data: []byte{1, 2, 3, 4}}
	terms := account.Terms{ChainID: 42161, Nonce: 3, Gas: 21000, FeeCap: core.NewWei(7), Tip: core.NewWei(1)}
	_, err := s.Sign(call, terms)
	code(t, err, fault.SigningRefused)
	s.Allow(func(at core.Address, data []byte, value core.Wei) bool {
		return at == to && data[0] == 1 && value.IsZero()
	})
	tx, err := s.Sign(call, terms)
	if err != nil {
		t.Fatal(err)
	}
	from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), tx)
	if err != nil || core.Address(from) != s.Address() || tx.Nonce() != 3 || tx.Gas() != 21000 ||
		tx.GasFeeCap().Int64() != 7 || tx.GasTipCap().Int64() != 1 || tx.ChainId().Int64() != 42161 ||
		!bytes.Equal(tx.Data(), call.Data) {
		t.Errorf("%v of %s, %v", tx, from, err)
	}
	for _, bad := range []account.Call{
		{To: to, Data: []byte{2, 2, 3, 4}}, {To: to, Data: []byte{1, 2, 3, 4}, Value: core.NewWei(1)},
		{To: core.Address{6}, Data: []byte{1, 2, 3, 4}},
		{To: s.Address(), Value: core.NewWei(1)}, {To: s.Address(), Data: []byte{1}},
	} {
		_, err := s.Sign(bad, terms)
		code(t, err, fault.SigningRefused)
	}
	if _, err := s.Sign(account.Call{To: s.Address()}, terms); err != nil {
		t.Errorf("the empty transaction: %v", err)
	}
}

func TestSignMessages(t *testing.T) {
	t.Parallel()
	s := signer(t)
	sig, err := s.SignText([]byte("hello"))
	if err != nil || len(sig) != account.SignatureLength || sig[64] != 27 && sig[64] != 28 {
		t.Fatalf("%x, %v", sig, err)
	}
	sig[64] -= 27
	if key, err := crypto.SigToPub(accounts.TextHash([]byte("hello")), sig); err != nil ||
		core.Address(crypto.PubkeyToAddress(*key)) != s.Address() {
		t.Errorf("another account's signature: %v", err)
	}
	typed := `{"types":{"EIP712Domain":[{"name":"name","type":"string"}],"Mail":[{"name":"text","type":"string"}]},` +
		`"primaryType":"Mail","domain":{"name":"test"},"message":{"text":"hi"}}`
	if sig, err := s.SignTypedData([]byte(typed)); err != nil || len(sig) != 65 {
		t.Errorf("%x, %v", sig, err)
	}
	for _, bad := range []string{"", "{}", "[]", strings.Replace(typed, `"Mail",`, `"Post",`, 1)} {
		_, err := s.SignTypedData([]byte(bad))
		code(t, err, fault.TypedDataInvalid)
	}
}

func TestKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	s := signer(t)
	text, err := json.Marshal([]any{s})
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %x %d %s", s, s, s, s, s), string(text),
		fmt.Sprintf("%+v", struct{ S *account.Signer }{s})} {
		if rest := strings.ReplaceAll(shown, oneAddress, ""); strings.Trim(rest, " {}[]S:") != "" {
			t.Errorf("%q shows more than the address", shown)
		}
	}
}

func FuzzKeyFile(f *testing.F) {
	f.Add([]byte(`{"address":"7e5f4552091a69125d5dfcb7b8c2659029395bdf","crypto":{"cipher":"aes-128-ctr","kdf":"scrypt",` +
		`"kdfparams":{"n":1,"r":8,"p":1,"dklen":32,"salt":""},"mac":""},"version":3}`))
	f.Add([]byte(`{"address":"","crypto":null}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := account.Open(path, cheap).List()
		if err == nil && len(list) != 1 {
			t.Errorf("%d keys in one file", len(list))
		}
	})
}

// TestAKeyFileWithoutEnd: what is named as a keystore may be a device.
func TestAKeyFileWithoutEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has no such device")
	}
	if _, err := account.Open("/dev/zero", cheap).List(); !errors.Is(err, fault.AccountFileInvalid) {
		t.Error(err)
	}
}
