// What "azd up" deploys: a resource group with template.json in it. It was never compiled here,
// because no compiler of Bicep is in a registry that this project reaches.
targetScope = 'subscription'

param environmentName string
param location string
param alertEmail string
param budgetStart string
param image string = ''

resource group 'Microsoft.Resources/resourceGroups@2024-03-01' = {
  name: 'rg-${environmentName}'
  location: location
  tags: { 'azd-env-name': environmentName }
}

module site 'template.json' = {
  name: 'site'
  scope: group
  params: {
    location: location
    image: image
    alertEmail: alertEmail
    budgetStart: budgetStart
  }
}

output AZURE_RESOURCE_GROUP string = group.name
output AZURE_CONTAINER_REGISTRY_NAME string = site.outputs.AZURE_CONTAINER_REGISTRY_NAME
output AZURE_STORAGE_TABLE_ENDPOINT string = site.outputs.AZURE_STORAGE_TABLE_ENDPOINT
output AZURE_STORAGE_QUEUE_ENDPOINT string = site.outputs.AZURE_STORAGE_QUEUE_ENDPOINT
output MICROBLOGGING_BASE_URL string = site.outputs.MICROBLOGGING_BASE_URL
