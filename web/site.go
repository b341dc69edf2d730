package web

import (
	"encoding/json"
	"fmt"

	"microblogging/static"
	"microblogging/templates"
)

const manifestFile = "manifest.webmanifest"

// assets are the embedded files. A browser that installs the site reads its name in the manifest.
func assets(site templates.Site) (*static.Assets, error) {
	files, err := static.Embedded()
	if err != nil || site.Name == "" {
		return files, err
	}
	var manifest map[string]any
	if err := json.Unmarshal(files.Content(manifestFile), &manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	manifest["name"], manifest["short_name"], manifest["description"] = site.Name, site.Name, site.Says()
	content, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return nil, err
	}
	return files.With(manifestFile, content), nil
}
