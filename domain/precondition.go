package domain

import "slices"

// A Precondition limits a write to the versions that its caller has seen, like
// If-Match in HTTP. The zero value holds for no version.
type Precondition[V ~string] struct {
	any      bool
	versions []V
}

// Any holds for every version.
func Any[V ~string]() Precondition[V] { return Precondition[V]{any: true} }

// OneOf holds for the given versions only.
func OneOf[V ~string](versions ...V) Precondition[V] { return Precondition[V]{versions: versions} }

// Holds reports whether the caller accepts the current version.
func (p Precondition[V]) Holds(current V) bool {
	return p.any || slices.Contains(p.versions, current)
}
