package channel

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/internal/fence"
	"microblogging/storage/schema"
)

// A Version names what the pages of a channel show at one moment: all that the channel's row and its posts,
// ratings and number of subscribers say. It is made of the ETags of the channel's row and of its open gate, and
// of the accounts that leave. It is opaque, and safe inside an HTTP ETag. The empty Version equals nothing, not
// even itself. It covers nothing else: not who voted, not what a reader subscribes to, and no row of another
// partition but the channel's own.
//
// Every change of a page merges the gate in its transaction (fence.Fence.TransactIfOpen), or writes
// the channel's row. An ETag never repeats. So a gate that has the same ETag at two moments had it
// at all moments between them, and no post, rating or subscriber changed between them. The same
// holds for the channel's row. So a process that reads a version, then the content, and later the
// same version again, has the content that it would read now.
//
// The version is read before the content. Content that is read before its version, or concurrently, may
// be older than it: a user posts between the two reads, and the kept page misses the post for as long as
// the version lasts. Content that is newer than its version is harmless: that version is never read again.
//
// The two rows are read concurrently. They are no snapshot, and need not be, since each answers for
// itself on any process:
//
//   - I4, no ghost read. A deletion is acknowledged after the channel's row is pending. A
//     request that begins later reads that state, or no row, or another incarnation, and
//     returns that error, whatever the gate says and whatever this process keeps.
//   - I3, no lost post. A write is acknowledged after it has merged the gate. A reader who
//     begins later reads a gate of another ETag than any that was read before the write.
//
// An active row without its open gate is not shown: a delayed duplicate of the insert brought the row
// back after its deletion, or its creation died. The gate of the version is of the row's incarnation,
// because the incarnation is in the key of the gate.
type Version string

// GetVersion reads the active channel at an address and its version, with two reads at
// once. The errors are those of Get. A channel without its open gate is domain.ErrNotFound.
//
// The hint is the incarnation that the caller remembers, or empty. If the channel has that
// incarnation, each of the reads is of one row.
func (s *Channels) GetVersion(ctx context.Context, at domain.ChannelAddress, hint domain.Incarnation) (domain.Channel, Version, error) {
	var row fence.Row
	var gates []driver.Entity
	err := s.fence.Concurrently(ctx, func(ctx context.Context) (err error) {
		row, err = s.fence.ReadActive(ctx, at)
		return err
	}, func(ctx context.Context) (err error) {
		gates, err = s.readOpenGates(ctx, at.Key, hint)
		return err
	})
	if err != nil {
		return domain.Channel{}, "", err
	}
	open := schema.OpenGateRow(row.Incarnation)
	i := slices.IndexFunc(gates, func(gate driver.Entity) bool { return gate.Row == open })
	if row.Incarnation != hint && (hint != "" || len(gates) == maxOpenGates) {
		if gates, err = s.readOpenGates(ctx, at.Key, row.Incarnation); err != nil {
			return domain.Channel{}, "", err
		}
		i = len(gates) - 1
	}
	if i < 0 {
		return domain.Channel{}, "", fmt.Errorf("channel %s, which has no gate: %w", at.Key, domain.ErrNotFound)
	}
	row.First = fence.FirstPosters(gates[i])
	// The key is part of it: on Azure, ETags are times, and the rows of two channels may share one.
	return row.Channel, VersionOf(string(at.Key), string(row.ETag), string(gates[i].ETag), s.fence.Leaving.Version()), nil
}

// maxOpenGates is how many open gates of a partition are read concurrently. There are several
// only while creations of one name are under way, or after they died.
const maxOpenGates = 10

// readOpenGates reads the open gate of an incarnation, if it is there. Without an
// incarnation, it reads the first maxOpenGates of the partition.
func (s *Channels) readOpenGates(ctx context.Context, key domain.ChannelKey, of domain.Incarnation) ([]driver.Entity, error) {
	if of == "" {
		//lab: Look for the open gate of the channel, whichever incarnation it has.
		gates, err := s.blogs.First(ctx, maxOpenGates, schema.OpenGate.In(schema.ChannelPartition(key)))
		if err != nil {
			err = fmt.Errorf("gates of channel %s: %w", key, err)
		}
		return gates, err
	}
	//lab: Read the version of the open gate.
	gate, err := s.blogs.Find(ctx, schema.ChannelPartition(key), schema.OpenGateRow(of))
	if err != nil || !gate.Found() {
		return nil, err
	}
	return []driver.Entity{gate}, nil
}

// versionBytes is how much of a hash makes a version: 144 bits, 24 characters.
const versionBytes = 18

// VersionOf hashes what a version is made of: ETags may hold quotes and are long on Azure.
func VersionOf(parts ...string) Version {
	text := make([]byte, 0, 256)
	for _, part := range parts {
		text = append(append(text, part...), 0) // which is in no key and in no ETag
	}
	sum := sha256.Sum256(text)
	return Version(base64.RawURLEncoding.EncodeToString(sum[:versionBytes]))
}

// Kept is what was read of a channel, and the version that it was read for. Nothing
// without a version is kept.
type Kept[T any] struct {
	Channel domain.Channel
	Version Version
	Value   T
}

// A Cache keeps what was read, for as long as it likes. It must be safe for concurrent
// use. It may be of one process, and needs no word from any other.
type Cache[T any] interface {
	Get(key string) (Kept[T], bool)
	Set(key string, kept Kept[T])
}

// ReadCached returns what the cache keeps under a key, if it is still right: it reads the
// version first, and returns the kept value only if that has the same version. Otherwise
// it calls read, and keeps what that returns under the version that was read before. The
// errors are those of Get and of read.
//
// The key must name the channel's key and the page, since one cache may hold all channels.
// read gets the channel and the version that its answer will have; that is empty if the
// answer will not be kept.
func ReadCached[T any](ctx context.Context, s *Channels, cache Cache[T], at domain.ChannelAddress, key string,
	read func(ctx context.Context, of domain.Channel, version Version) (T, error),
) (Kept[T], error) {
	kept, _ := cache.Get(key)
	of, version, err := s.GetVersion(ctx, at, kept.Channel.Incarnation)
	if err != nil {
		return Kept[T]{}, err
	}
	return ReadCachedAt(ctx, cache, of, version, key, read)
}

// ReadCachedAt is ReadCached for a caller who has just read the channel and its version.
// Nothing that the caller read before them may be in what read returns.
func ReadCachedAt[T any](ctx context.Context, cache Cache[T], of domain.Channel, version Version, key string,
	read func(ctx context.Context, of domain.Channel, version Version) (T, error),
) (Kept[T], error) {
	if kept, there := cache.Get(key); there && kept.Version == version && version != "" {
		return kept, nil
	}
	value, err := read(ctx, of, version)
	if err != nil {
		return Kept[T]{}, err
	}
	now := Kept[T]{Channel: of, Version: version, Value: value}
	if version != "" {
		cache.Set(key, now)
	}
	return now, nil
}
