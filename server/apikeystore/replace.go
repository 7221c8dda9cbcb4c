package apikeystore

import "github.com/tuttinode/tutti/core/fault"

// Replace reads another key file, or the same one anew, and makes ready to take its
// keys in place of those before; nothing is changed before the function is called that
// it returns. A gateway that began with a key file keeps one, and the other way about:
// whether a key is needed at all does not change by accident. The error is
// KeyFileInvalid.
func (k *Keystore) Replace(path string) (func(), error) {
	if (path == "") != (k.opt.File == "") {
		return nil, fault.New(fault.KeyFileInvalid, "read keys anew", "-apiKeys cannot be added or taken away while the node runs")
	}
	if path == "" {
		return func() {}, nil
	}
	list, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return func() { k.SetStatic(list) }, nil
}
