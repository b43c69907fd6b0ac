SwaggerUIBundle({
  url: '/docs/json',
  dom_id: '#page',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  // Nothing leaves this host: no validator's badge, no tokens kept beyond the page.
  validatorUrl: null,
  persistAuthorization: false,
  onComplete: () => {
    document.title = document.querySelector('.info .title')?.firstChild?.textContent ?? document.title;
  },
});
